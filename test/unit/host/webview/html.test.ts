import assert from 'node:assert/strict';
import { webviewHtml } from '../../../../src/host/webview/html.ts';

const PAGE = {
  title: 'Ask "a<b>".sqlite',
  language: 'en',
  source: 'https://webview.example',
  nonce: 'bm9uY2U+/w==',
  script: 'https://webview.example/dist/webview/ask.js',
};

describe('the page of a webview', () => {
  const html = webviewHtml(PAGE);
  const policy = /content="([^"]*default-src[^"]*)"/.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? '';

  it('allows one script, by its nonce, and refuses all that is not named', () => {
    assert.match(policy, /^default-src 'none'; script-src 'nonce-bm9uY2U\+\/w=='/);
    assert.doesNotMatch(policy, /unsafe|\*|connect-src|style-src|frame-src/);
    assert.deepEqual(html.match(/<script[^>]*>/g), [
      '<script nonce="bm9uY2U+/w==" src="https://webview.example/dist/webview/ask.js">',
    ]);
  });

  it('has no style and no handler of its own', () => {
    assert.doesNotMatch(html, /<style|style=|\son\w+=/);
  });

  it('writes names of files so that they cannot become markup', () => {
    assert.ok(html.includes('<title>Ask &quot;a&lt;b&gt;&quot;.sqlite</title>'));
  });
});
