import assert from 'node:assert/strict';
import { isLoopback, isServerAddress, tidyAddress } from '../../../../src/host/models/address.ts';

describe('addresses of servers', () => {
  it('are http or https', () => {
    for (const address of ['http://127.0.0.1:11434/v1', 'https://models.example.test/v1'])
      assert.equal(isServerAddress(address), true, address);
    for (const address of ['', 'localhost:11434', 'file:///etc/passwd', 'javascript:alert(1)', 'ftp://example.test'])
      assert.equal(isServerAddress(address), false, address);
  });

  it('lose white space and slashes at the end', () => {
    assert.equal(tidyAddress(' http://127.0.0.1:1/v1// '), 'http://127.0.0.1:1/v1');
  });

  it('are on this machine only where their host is', () => {
    for (const address of ['http://localhost:1', 'http://127.0.0.1:1/v1', 'http://127.9.9.9/', 'http://[::1]:8080/v1'])
      assert.equal(isLoopback(address), true, address);
    for (const address of [
      'http://localhost.example.test',
      'http://192.168.0.2',
      'https://127.0.0.1.example.test',
      'x',
    ])
      assert.equal(isLoopback(address), false, address);
  });
});
