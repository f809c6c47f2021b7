"""Writes a Qwen3 of random weights as a Hugging Face folder in bfloat16; the same seed, the same weights on one device.
Norms are not 1, so that an error in them shows. usage: random_model.py FOLDER --shape 1.7b|tiny --device cuda|cpu [--seed 0]"""
import argparse, json, time
import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

SHAPES = {
    '1.7b': dict(hidden_size=2048, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128, intermediate_size=6144, vocab_size=151936),
    'tiny': dict(hidden_size=256, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, head_dim=128, intermediate_size=640, vocab_size=2000),
}
parser = argparse.ArgumentParser()
parser.add_argument('folder'); parser.add_argument('--shape', choices=SHAPES, required=True)
parser.add_argument('--device', default='cuda'); parser.add_argument('--seed', type=int, default=0)
given = parser.parse_args()
started = time.time()
config = Qwen3Config(**SHAPES[given.shape], tie_word_embeddings=True, rms_norm_eps=1e-6, max_position_embeddings=40960, rope_parameters={'rope_type': 'default', 'rope_theta': 1e6}, attention_bias=False)
torch.manual_seed(given.seed)
torch.set_default_dtype(torch.bfloat16)
with torch.device(given.device):
    model = Qwen3ForCausalLM(config)
with torch.no_grad():
    for name, parameter in model.named_parameters():
        if name.endswith('norm.weight'):
            parameter.normal_(1, 0.1)
        else:
            parameter.normal_(0, 0.02)
model.save_pretrained(given.folder)
print(json.dumps(dict(peer='random model', shape=given.shape, parameters=sum(one.numel() for one in model.parameters()), seconds=round(time.time() - started, 1))))
