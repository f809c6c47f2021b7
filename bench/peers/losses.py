"""Trains an adapter with torch, transformers and peft on given batches, for `test/gpu/losses.ts`.
JOB is {"base", "adapter", "steps": [[{"tokens", "first"}]], "lr", "warmup", "end", "betas", "eps", "weight_decay", "clip"};
a line of JSON a step, and OUT gets the trained adapter. float32: no TF32; bfloat16: base in bfloat16, adapter in float32.
usage: losses.py JOB OUT.safetensors --device cuda|cpu --dtype bfloat16|float32 [--tokens 16384]"""
import json, math, time
import torch
from safetensors.torch import save_file
from lora import autocast, begin, load_model, loss_sum, loss_tokens, micro_batches, trained

given, job = begin(dtype='bfloat16', tokens=16384)
dtype = getattr(torch, given.dtype)
model = load_model(job['base'], job['adapter'], dtype, given.device, 'sdpa')
parameters = list(trained(model).values())
optimiser = torch.optim.AdamW(parameters, lr=job['lr'], betas=job['betas'], eps=job['eps'], weight_decay=job['weight_decay'])
steps = len(job['steps'])
warm = math.ceil(job['warmup'] * steps)


def rate(step):
    """Linear to the peak, then half a cosine down to `end` of it at the last step."""
    if step <= warm:
        return job['lr'] * step / warm
    done = (step - warm) / max(1, steps - warm)
    return job['lr'] * (job['end'] + (1 - job['end']) * 0.5 * (1 + math.cos(math.pi * done)))


started = time.time()
for step, texts in enumerate(job['steps'], 1):
    for group in optimiser.param_groups:
        group['lr'] = rate(step)
    total, loss = loss_tokens(texts), 0.0
    for batch in micro_batches(texts, given.tokens):
        with autocast(given.device, dtype):
            part = loss_sum(model, batch, given.device) / total
        part.backward()
        loss += part.detach()
    norm = torch.nn.utils.clip_grad_norm_(parameters, job['clip'])
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    print(json.dumps(dict(peer='losses', step=step, loss=float(loss), lr=rate(step), grad_norm=float(norm), loss_tokens=total, seconds=round(time.time() - started, 2))), flush=True)
save_file({key: value.detach().cpu().contiguous() for key, value in trained(model).items()}, given.out)
