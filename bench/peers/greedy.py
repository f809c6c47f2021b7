"""Greedy answers by torch, transformers and peft, for `bench/variants/greedy.ts`.
JOB is {"base", "end", "adapters": {name: PEFT folder}, "prompts": [[ids]]}; OUT/NAME.json gets the ids of each answer, without
the end, in the order of the prompts. All in float32, each adapter added to the weights while it answers.
usage: greedy.py JOB OUT --device cuda|cpu [--batch 128] [--longest 256]"""
import json, time
import torch
from peft import PeftModel
from lora import begin, load_base

given, job = begin(batch=128, longest=256)
end, prompts = job['end'], job['prompts']
started = time.time()
base = load_base(job['base'], torch.float32, 'sdpa')
model = None
for name, folder in job['adapters'].items():
    if model is None:
        model = PeftModel.from_pretrained(base, folder, adapter_name=name)
    else:
        model.load_adapter(folder, adapter_name=name)
model = model.to(given.device).eval()
print(json.dumps(dict(peer='greedy', loaded=list(job['adapters']), tied=base.config.tie_word_embeddings, seconds=round(time.time() - started, 1))), flush=True)


@torch.no_grad()
def answers():
    """Prompts of like length together, padded in front."""
    found = [None] * len(prompts)
    order = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
    for start in range(0, len(order), given.batch):
        chosen = order[start:start + given.batch]
        longest = max(len(prompts[index]) for index in chosen)
        ids = torch.full((len(chosen), longest), end)
        mask = torch.zeros_like(ids)
        for row, index in enumerate(chosen):
            ids[row, longest - len(prompts[index]):] = torch.tensor(prompts[index])
            mask[row, longest - len(prompts[index]):] = 1
        plain = dict(do_sample=False, temperature=None, top_p=None, top_k=None, repetition_penalty=1.0)
        out = model.generate(input_ids=ids.to(given.device), attention_mask=mask.to(given.device), max_new_tokens=given.longest, eos_token_id=end, pad_token_id=end, **plain)
        for index, answer in zip(chosen, out[:, longest:].tolist()):
            found[index] = answer[:answer.index(end)] if end in answer else answer
    return found


for name in job['adapters']:
    started = time.time()
    model.set_adapter(name)
    model.merge_adapter([name])
    found = answers()
    model.unmerge_adapter()
    with open(f'{given.out}/{name}.json', 'w') as file:
        json.dump(found, file)
    print(json.dumps(dict(peer='greedy', name=name, answers=len(found), tokens=sum(map(len, found)), seconds=round(time.time() - started, 1))), flush=True)
