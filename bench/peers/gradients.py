"""Gradients of an adapter by torch, transformers and peft, for `test/gpu/gradients.ts`.
JOB is {"base", "adapter", "texts": [{"tokens", "first"}]}; OUT/WAY.safetensors gets the gradient of every adapter matrix, of
the mean loss over all learned tokens. Ways: float32 (no TF32, plain attention); rounded: float32 with weight matrices rounded
to bfloat16; bfloat16: as peft trains. usage: gradients.py JOB OUT --device cuda|cpu --ways rounded,bfloat16 [--tokens 4096]"""
import gc, json, time
import torch
from safetensors.torch import save_file
from lora import autocast, begin, load_model, loss_sum, loss_tokens, micro_batches, trained

given, job = begin(ways='rounded,bfloat16', tokens=4096)
total = loss_tokens(job['texts'])
for way in given.ways.split(','):
    started = time.time()
    dtype, attention = (torch.bfloat16, 'sdpa') if way == 'bfloat16' else (torch.float32, 'eager')
    model = load_model(job['base'], job['adapter'], dtype, given.device, attention, way == 'rounded')
    loss = 0.0
    for batch in micro_batches(job['texts'], given.tokens):
        with autocast(given.device, dtype):
            part = loss_sum(model, batch, given.device) / total
        part.backward()
        loss += part.item()
    save_file({key: value.grad.cpu().contiguous() for key, value in trained(model).items()}, f'{given.out}/{way}.safetensors')
    print(json.dumps(dict(peer='gradients', way=way, loss=loss, loss_tokens=total, seconds=round(time.time() - started, 1), torch=torch.__version__)), flush=True)
    del model, part
    gc.collect()
    if given.device == 'cuda':
        torch.cuda.empty_cache()
