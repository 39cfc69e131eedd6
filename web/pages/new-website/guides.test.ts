import { describe, expect, it } from 'vitest'
import { buildNextScript, buildTagManagerScript } from './guides.ts'

const snippet = { scriptUrl: 'https://stats.example.net/b.js', domain: 'example.com' }

describe('the code of a guide', () => {
  it('names the script and the domain', () => {
    expect(buildNextScript(snippet)).toBe('<Script src="https://stats.example.net/b.js" data-domain="example.com" />')
  })

  it('for a tag manager adds a script with the domain to the page', () => {
    const [, code = ''] = /<script>([\s\S]*)<\/script>/.exec(buildTagManagerScript(snippet)) ?? []
    const attributes: Record<string, string> = {}
    const script = { setAttribute: (name: string, value: string) => void Object.assign(attributes, { [name]: value }) }
    const added: unknown[] = []
    const document = { createElement: () => script, head: { appendChild: (node: unknown) => added.push(node) } }
    new Function('document', code)(document)
    expect(added).toEqual([expect.objectContaining({ src: snippet.scriptUrl, defer: true })])
    expect(attributes).toEqual({ 'data-domain': 'example.com' })
  })
})
