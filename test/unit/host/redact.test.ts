import assert from 'node:assert/strict';
import { redact } from '../../../src/host/redact.ts';

describe('redact', () => {
  it('hides a known secret wherever it stands', () => {
    assert.equal(redact('GET /v1?x=hunter22 (hunter22)', ['hunter22']), 'GET /v1?x=[secret] ([secret])');
  });

  it('hides what looks like a key, a token or a password', () => {
    const cases: [string, string][] = [
      ['Authorization: Bearer abc.def-123', 'Authorization: [secret] [secret]'],
      ['sent Bearer abc.def-123', 'sent Bearer [secret]'],
      ['{"api_key":"abcdefgh"}', '{"api_key":"[secret]"}'],
      ['password=letmein&x=1', 'password=[secret]&x=1'],
      ['using sk-proj-abcdefgh12345678 now', 'using [secret] now'],
      ['http://user:pass@example.test/v1', 'http://[secret]@example.test/v1'],
    ];
    for (const [text, clean] of cases) assert.equal(redact(text), clean);
  });

  it('leaves other text as it is', () => {
    const text = "SELECT token_count FROM keys WHERE name = 'Bearer' -- 12 ms";
    assert.equal(redact(text), text);
  });
});
