"""Which roundings to bfloat16 cost the accuracy of an adapter's gradient: a Qwen3 of random weights as `random_model.py` makes
them, written out in float32, that rounds at named places forward and backward, against the same without any rounding. Weights
are scaled so that a narrower model passes on what a wide one would. Prints a line of JSON for each variant: 1 - cosine.
usage: rounding.py [--width 512] [--layers 28] [--lengths 256,175,128,63] [--seed 0] [--each]"""
import argparse, json, math
import torch

HEAD, RANK, VOCABULARY = 128, 16, 4096
FORWARD = 'normed_in normed_post qkv rotated weights attention low delta stream gate_up active hidden logits'.split()
BACKWARD = ['d_' + one for one in 'normed qkv rotated weights scores attention low stream gate_up active hidden logits'.split()]
EVERY = frozenset([*FORWARD, *BACKWARD, 'adapter'])
# carry: what rounding takes from the stream is added where the next block begins; d_operand: its gradient is rounded where
# products read it, not as a sum.
CARRIED = EVERY - {'stream', 'd_stream'} | {'carry', 'd_operand'}


def narrow(x):
    return x.bfloat16().float()


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, is_rounded, is_gradient_rounded):
        ctx.is_rounded = is_gradient_rounded
        return narrow(x) if is_rounded else x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return narrow(gradient) if ctx.is_rounded else gradient, None, None


class Attention(torch.autograd.Function):
    """q [heads, T, d], k and v [half as many, T, d], mask [T, T]; the formulas of arXiv 2307.08691, 3.2."""
    @staticmethod
    def forward(ctx, q, k, v, mask, on):
        scores = (q @ k.repeat_interleave(2, 0).transpose(1, 2) * HEAD ** -0.5).masked_fill(~mask, -math.inf)
        most = scores.amax(-1, keepdim=True)
        weights = (scores - most).exp()
        total = weights.sum(-1, keepdim=True)
        out = (narrow(weights) if 'weights' in on else weights) @ v.repeat_interleave(2, 0) / total
        out = narrow(out) if 'attention' in on else out
        ctx.save_for_backward(q, k, v, mask, most + total.log(), out)
        ctx.on = on
        return out

    @staticmethod
    def backward(ctx, d):
        q, k, v, mask, log_sum, out = ctx.saved_tensors
        d = narrow(d) if 'd_attention' in ctx.on else d
        keys, values = k.repeat_interleave(2, 0), v.repeat_interleave(2, 0)
        weights = (q @ keys.transpose(1, 2) * HEAD ** -0.5 - log_sum).exp().masked_fill(~mask, 0)
        d_scores = weights * (d @ values.transpose(1, 2) - (d * out).sum(-1, keepdim=True))
        weights = narrow(weights) if 'd_weights' in ctx.on else weights
        d_scores = (narrow(d_scores) if 'd_scores' in ctx.on else d_scores) * HEAD ** -0.5
        of_group = lambda x: x.view(-1, 2, *x.shape[1:]).sum(1)
        return d_scores @ keys, of_group(d_scores.transpose(1, 2) @ q), of_group(weights.transpose(1, 2) @ d), None, None


def norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


class Model:
    def __init__(self, width, layers, seed):
        make = torch.Generator().manual_seed(seed)
        normal = lambda *shape, deviation: narrow(torch.randn(*shape, generator=make) * deviation)
        ones = lambda count: torch.randn(count, generator=make) * 0.1 + 1
        like = lambda inner, real: 0.02 * math.sqrt(real / inner)
        self.queries, self.ffn = width, 3 * width
        self.embed, self.head = normal(VOCABULARY, width, deviation=0.02), normal(VOCABULARY, width, deviation=like(width, 2048))
        self.layers = [dict(
            norm_in=ones(width), norm_post=ones(width), norm_q=ones(HEAD), norm_k=ones(HEAD),
            qkv=normal(2 * width, width, deviation=like(width, 2048)), o=normal(width, width, deviation=like(width, 2048)),
            gate_up=normal(2 * self.ffn, width, deviation=like(width, 2048)),
            down=normal(width, self.ffn, deviation=like(self.ffn, 6144))) for _ in range(layers)]
        self.norm = ones(width)
        uniform = lambda *shape, bound: ((torch.rand(*shape, generator=make) * 2 - 1) * bound).requires_grad_()
        places = dict(q=(width, width), k=(width, width // 2), v=(width, width // 2), o=(width, width), gate=(width, self.ffn), up=(width, self.ffn), down=(self.ffn, width))
        self.adapter = {f'{layer}.{name}.{part}': uniform(*shape, bound=bound)
            for layer in range(layers) for name, (inner, out) in places.items()
            for part, shape, bound in (('A', (RANK, inner), 1 / math.sqrt(inner)), ('B', (out, RANK), 0.01 * math.sqrt(2048 / width)))}

    def gradients(self, texts, rounded_in):
        """The gradient of every adapter matrix; `rounded_in` gives the places of a layer (of the head: the number of layers)."""
        for matrix in self.adapter.values():
            matrix.grad = None
        tokens = torch.cat([tokens for tokens, _ in texts])
        positions = torch.cat([torch.arange(len(tokens)) for tokens, _ in texts])
        rows = len(tokens)
        owner = torch.repeat_interleave(torch.arange(len(texts)), torch.tensor([len(tokens) for tokens, _ in texts]))
        mask = (owner[:, None] == owner[None, :]).tril()
        angles = positions[:, None] * 1e6 ** (-torch.arange(0, HEAD, 2) / HEAD)
        cos, sin = angles.cos(), angles.sin()
        stream, lost = self.embed[tokens], None
        stream = Round.apply(stream, False, 'd_stream' in rounded_in(0))

        def rounded(x, name, on):
            return Round.apply(x, name in on, 'd_' + name.split('_in')[0].split('_post')[0] in on)

        def project(x, weight, layer, names, on):
            own = lambda matrix: Round.apply(matrix, 'adapter' in on, False)
            low = [rounded(x @ own(self.adapter[f'{layer}.{name}.A']).T, 'low', on) for name in names]
            return x @ weight.T + torch.cat([one @ own(2 * self.adapter[f'{layer}.{name}.B']).T for one, name in zip(low, names)], -1)

        def rotated(x):
            first, second = x.chunk(2, -1)
            return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)

        def add(delta, on, is_middle):
            nonlocal stream, lost
            delta = Round.apply(rounded(delta, 'delta', on), False, 'd_operand' in on)
            total = stream + delta
            if 'carry' in on:
                with torch.no_grad():
                    before = torch.zeros_like(total) if lost is None else lost
                    whole = total if is_middle else total + before
                    kept = narrow(whole)
                    lost = narrow(whole - kept + (before if is_middle else 0))
                total = total + (kept - total).detach()
            stream = Round.apply(total, 'stream' in on, 'd_stream' in on)

        for index, layer in enumerate(self.layers):
            on = rounded_in(index)
            of_heads = lambda x: x.view(rows, -1, HEAD).transpose(0, 1)
            x = rounded(norm(stream, layer['norm_in']), 'normed_in', on)
            qkv = rounded(project(x, layer['qkv'], index, 'qkv', on), 'qkv', on)
            q, k, v = map(of_heads, qkv.split([self.queries, self.queries // 2, self.queries // 2], -1))
            q, k = (rounded(rotated(norm(x, layer[name])), 'rotated', on) for x, name in ((q, 'norm_q'), (k, 'norm_k')))
            # Where q, k and v are not rounded before their rotation, values are behind it.
            v = Round.apply(v, 'rotated' in on, 'd_rotated' in on)
            out = Attention.apply(q, k, v, mask, on).transpose(0, 1).reshape(rows, -1)
            add(project(out, layer['o'], index, 'o', on), on, True)
            x = rounded(norm(stream, layer['norm_post']), 'normed_post', on)
            gate, up = rounded(project(x, layer['gate_up'], index, ('gate', 'up'), on), 'gate_up', on).chunk(2, -1)
            active = rounded(torch.nn.functional.silu(gate) * up, 'active', on)
            add(project(active, layer['down'], index, ('down',), on), on, False)
        on = rounded_in(len(self.layers))
        # The last third of each text is learned.
        learned = torch.cat([(positions[owner == text] + 1 >= first) & (positions[owner == text] + 1 < len(tokens)) for text, (tokens, first) in enumerate(texts)])
        hidden = Round.apply(rounded(norm(stream, self.norm), 'hidden', on - {'d_hidden'})[learned], False, 'd_hidden' in on)
        torch.nn.functional.cross_entropy(rounded(hidden @ self.head.T, 'logits', on), tokens.roll(-1)[learned]).backward()
        return torch.cat([matrix.grad.flatten() for matrix in self.adapter.values()]).double()


parser = argparse.ArgumentParser()
for name, default in dict(width=512, layers=28, lengths='256,175,128,63', seed=0).items():
    parser.add_argument(f'--{name}', type=type(default), default=default)
parser.add_argument('--each', action='store_true')
given = parser.parse_args()
model = Model(given.width, given.layers, given.seed)
words = torch.Generator().manual_seed(given.seed + 5)
texts = [(torch.randint(VOCABULARY, (length,), generator=words), math.ceil(length * 2 / 3)) for length in map(int, given.lengths.split(','))]
expected = model.gradients(texts, lambda layer: frozenset())


def report(what, rounded_in):
    found = model.gradients(texts, rounded_in)
    print(json.dumps(dict(peer='rounding', what=what, width=given.width, layers=given.layers, off=float(f'{1 - torch.nn.functional.cosine_similarity(found, expected, 0).item():.3e}'))), flush=True)


def first(places, on):
    """These places left out in the first block."""
    return lambda layer: on - set(places.split()) if layer == 0 else on


report('everything rounded', lambda layer: EVERY)
report('the first block alone', lambda layer: EVERY if layer == 0 else frozenset())
report('everything but the first block', lambda layer: frozenset() if layer == 0 else EVERY)
report('first block: normed rows, q, k and v exact', first('normed_in qkv', EVERY))
report('first block: gate and up too', first('normed_in qkv normed_post gate_up', EVERY))
report('the stream carried on', lambda layer: (CARRIED | {'d_stream'}) - {'d_operand'})
report('the gradient too', lambda layer: CARRIED)
report('both, and the first block', first('normed_in qkv', CARRIED))
report('gate and up too', first('normed_in qkv normed_post gate_up', CARRIED))
if given.each:
    for place in sorted(EVERY):
        report(f'{place} alone', lambda layer: frozenset([place]))
