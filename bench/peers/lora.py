"""What the peers share: a base of transformers with an adapter of peft, and its loss over texts.
A text is {"tokens": [ids], "first": place of the first learned token}; all from there on are learned."""
import argparse
import json
import os
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


def load_base(base, dtype, attention):
    """A GGUF file (dequantised) or a Hugging Face folder in `dtype`."""
    folder, file = (base, None) if os.path.isdir(base) else os.path.split(os.path.abspath(base))
    return AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=dtype, attn_implementation=attention)


def load_model(base, adapter, dtype, device, attention, rounded=False):
    """A base in `dtype` with the PEFT folder's adapter in float32.
    rounded: each weight matrix to bfloat16 and back, as a GPU keeps it; vectors stay as they are."""
    model = load_base(base, dtype, attention)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.requires_grad_(False)
            if rounded and parameter.dim() > 1:
                parameter.copy_(parameter.bfloat16())
    model = PeftModel.from_pretrained(model, adapter, is_trainable=True).to(device).train()
    assert all(parameter.dtype == torch.float32 for parameter in trained(model).values())
    return model


def trained(model):
    """The trained matrices by name: `model.layers.0.self_attn.q_proj.lora_A.weight` …"""
    def short(name):
        return name.replace('base_model.model.', '').replace('.default', '')
    return {short(name): value for name, value in model.named_parameters() if value.requires_grad}


def micro_batches(texts, most):
    """Texts of like length together, at most so many tokens with padding."""
    batch = []
    for text in sorted(texts, key=lambda one: len(one['tokens'])):
        if batch and (len(batch) + 1) * len(text['tokens']) > most:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def loss_tokens(texts):
    return sum(len(text['tokens']) - text['first'] for text in texts)


def loss_sum(model, batch, device):
    """Sum of the cross-entropies of a micro-batch's learned tokens, in nats. Padded at the end: causal attention never sees
    it. Logits at the learned positions alone."""
    longest = max(len(text['tokens']) for text in batch)
    ids = torch.zeros(len(batch), longest, dtype=torch.long)
    labels = torch.full_like(ids, -100)
    for row, text in enumerate(batch):
        tokens = torch.tensor(text['tokens'])
        ids[row, :len(tokens)] = tokens
        labels[row, text['first']:len(tokens)] = tokens[text['first']:]
    ids, labels = ids.to(device), labels[:, 1:].to(device)
    core = model.base_model.model
    hidden = core.model(input_ids=ids, use_cache=False)[0][:, :-1]
    learned = labels != -100
    logits = core.lm_head(hidden[learned])
    return torch.nn.functional.cross_entropy(logits.float(), labels[learned], reduction='sum')


def begin(**options):
    """The command line (JOB, OUT, --device and these options with their defaults) and the job that it names. float32 products
    are made in float32, not in TF32."""
    parser = argparse.ArgumentParser()
    parser.add_argument('job')
    parser.add_argument('out')
    for name, default in dict(device='cuda', **options).items():
        parser.add_argument(f'--{name}', type=type(default), default=default)
    given = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.set_float32_matmul_precision('highest')
    with open(given.job) as file:
        return given, json.load(file)


def autocast(device, dtype):
    """As peft trains a bfloat16 base: adapters in float32, products in bfloat16."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=dtype == torch.bfloat16)
