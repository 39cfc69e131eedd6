import { describe, expect, it } from 'vitest'
import { html } from './html.ts'

describe('html', () => {
  it('escapes whatever is put in', () => {
    const hostile = `<script>"&'`
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;script&gt;&quot;&amp;&#39;">&lt;script&gt;&quot;&amp;&#39;</p>',
    )
  })

  it('leaves HTML as it is, and takes lists, numbers and nothing', () => {
    expect(html`<ul>${['a', '<'].map((text) => html`<li>${text}</li>`)}</ul>${0}${undefined}${false}`.text).toBe(
      '<ul><li>a</li><li>&lt;</li></ul>0',
    )
  })
})
