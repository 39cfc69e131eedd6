import { describe, expect, it } from 'vitest'
import { type InstalledWebsite, judgePage } from './judge-page.ts'

const website: InstalledWebsite = { domain: 'example.com', baseUrl: 'https://stats.example.net', hasPublicUrl: true }
const tag = (src = 'https://stats.example.net/b.js', attributes = 'data-domain="example.com"') =>
  `<script defer src="${src}" ${attributes}></script>`

interface PageOptions extends Partial<InstalledWebsite> {
  url?: string
  status?: number
  headers?: Record<string, string>
  isComplete?: boolean
}

const judge = (
  html: string,
  { url = 'https://www.example.com/', status = 200, headers, isComplete = true, ...changes }: PageOptions = {},
) =>
  judgePage(
    {
      kind: 'page',
      page: {
        url,
        status,
        isComplete,
        headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
        bytes: Buffer.from(html),
      },
    },
    { ...website, ...changes },
  )

const policy = (text: string) => ({ headers: { 'content-security-policy': text } })
const local = { baseUrl: 'http://localhost:3000', hasPublicUrl: false }
const gtm = "<script>j.src='https://www.googletagmanager.com/gtm.js?id='+i</script>"

describe('the verification of a page', () => {
  it.each<[string, string, string, PageOptions?]>([
    ['our snippet', tag(), 'installed'],
    ['our snippet for a subdomain', tag(undefined, 'data-domain="blog.example.com"'), 'installed'],
    ['our snippet for several domains', tag(undefined, 'data-domain="rollup.example, www.Example.com"'), 'installed'],
    ['our snippet without data-domain', tag(undefined, ''), 'installed'],
    ['our snippet on an error page', tag(), 'http_error', { status: 503 }],
    ['two snippets on an error page', tag() + tag(), 'http_error', { status: 404 }],
    ['another domain on an error page', tag(undefined, 'data-domain="exmaple.com"'), 'wrong_domain', { status: 404 }],
    [
      'our snippet behind a path',
      tag('https://stats.example.net/belfry/b.js'),
      'installed',
      { baseUrl: 'https://stats.example.net/belfry' },
    ],
    ["a proxy on the website's own host", tag('/js/b.js'), 'installed'],
    [
      "Plausible's script that sends events here",
      tag('https://cdn.example/script.js', 'data-domain="example.com" data-api="https://stats.example.net/api/event"'),
      'installed',
    ],
    ['our snippet beside that of another server', `${tag('https://plausible.io/js/script.js')}${tag()}`, 'installed'],
    ['two snippets', tag() + tag(), 'several'],
    ['another domain', tag(undefined, 'data-domain="exmaple.com"'), 'wrong_domain'],
    ['a domain that only ends like ours', tag(undefined, 'data-domain="notexample.com"'), 'wrong_domain'],
    ['another server', tag('https://old.example.net/b.js'), 'wrong_server'],
    ['another path of the server', tag('https://stats.example.net/old/b.js'), 'wrong_server'],
    ["Plausible's snippet", tag('https://plausible.io/js/script.js'), 'wrong_server'],
    ['a local address', tag('http://127.0.0.1:3000/b.js'), 'local_address', local],
    [
      'an address in the private network',
      tag('http://192.168.1.5:3000/b.js'),
      'local_address',
      { baseUrl: 'http://192.168.1.5:3000' },
    ],
    [
      'an address in the private network of the website',
      tag('http://192.168.1.5:3000/b.js', 'data-domain="intranet.lan"'),
      'installed',
      { baseUrl: 'http://192.168.1.5:3000', domain: 'intranet.lan', url: 'http://intranet.lan/' },
    ],
    [
      'a local address on a local website',
      tag('http://localhost:3000/b.js', 'data-domain="localhost"'),
      'installed',
      { ...local, domain: 'localhost', url: 'http://localhost/' },
    ],
    [
      'http on an https page',
      tag('http://stats.example.net/b.js'),
      'mixed_content',
      { baseUrl: 'http://stats.example.net' },
    ],
    [
      'http on an http page',
      tag('http://stats.example.net/b.js'),
      'installed',
      { baseUrl: 'http://stats.example.net', url: 'http://example.com/' },
    ],
    ['a policy in a header', tag(), 'blocked', policy("default-src 'self'")],
    [
      'a policy in a meta element',
      `<meta http-equiv="Content-Security-Policy" content="connect-src 'self'">${tag()}`,
      'blocked',
    ],
    ['a policy that allows us', tag(), 'installed', policy('default-src https://stats.example.net')],
    ['a consent banner', tag(undefined, 'data-domain="example.com" type="text/plain"'), 'inactive'],
    ['a comment', `<!-- ${tag()} -->`, 'missing'],
    ['a noscript element', `<noscript>${tag()}</noscript>`, 'missing'],
    ['another script of that name', '<script src="/assets/b.js"></script>', 'missing'],
    ['nothing', '<p>Hello</p>', 'missing'],
    ['only a part that we read', '<p>Hello</p>', 'missing', { isComplete: false }],
    ['a tag manager', gtm, 'tag_manager'],
    ['our snippet and a tag manager', gtm + tag(), 'installed'],
    [
      'a script that loads ours',
      '<script>self.__next_f.push("src:https:\\/\\/stats.example.net\\/b.js")</script>',
      'script',
    ],
    ['a preloaded script', '<link rel="preload" as="script" href="https://stats.example.net/b.js">', 'script'],
    ['a refusal', 'Forbidden', 'http_error', { status: 403 }],
    ['a refusal without HTML', '{}', 'http_error', { status: 429, headers: { 'content-type': 'application/json' } }],
    ['JSON', '{}', 'not_html', { headers: { 'content-type': 'application/json' } }],
    ['compressed bytes', '\x1f\x8b', 'not_html', { headers: { 'content-encoding': 'gzip' } }],
  ])('finds %s', (_case, html, expected, options) => {
    expect(judge(html, options)).toMatchObject({ result: expected })
  })

  it('names the directives to use', () => {
    expect(judge(tag(), policy("default-src 'self'; connect-src *"))).toMatchObject({
      message:
        'The snippet is on https://www.example.com/, but its Content-Security-Policy blocks it: script-src must allow https://stats.example.net.',
      blocked: [{ directive: 'script-src', source: 'header', required: "script-src 'self' https://stats.example.net" }],
    })
    // The policy would also block a snippet that isn't there yet.
    expect(judge('', policy("default-src 'self'")).blocked).toHaveLength(2)
  })

  it('says why visitors cannot load the snippet, and what to set', () => {
    const snippet = tag('http://127.0.0.1:3000/b.js')
    expect(judge(snippet, local).message).toBe(
      'The snippet on https://www.example.com/ uses the address http://127.0.0.1:3000, which only works on the Belfry server itself. An admin must set the public URL, under Account → Server settings or with BELFRY_URL. Then replace the snippet on the page.',
    )
    expect(judge(snippet, { ...local, hasPublicUrl: true }).message).toContain(
      'An admin must change the public URL to an address that visitors can reach, under',
    )
  })

  it.each([
    [tag(), 'The snippet is on https://www.example.com/, but the page responds with status 503, so visitors see'],
    [tag(undefined, 'data-domain="other.example"'), 'this website is example.com. The page responds with status 503.'],
    ['Maintenance', "responds with status 503, and the response doesn't contain the snippet."],
  ])('names the status of an error page with %s', (html, text) => {
    expect(judge(html, { status: 503 }).message).toContain(text)
  })

  it('says why it read no page', () => {
    const url = 'https://example.com/'
    const fault = { cause: 'dns', description: 'no such host' } as const
    expect(judgePage({ kind: 'failure', url, fault }, website)).toMatchObject({
      result: 'unreachable',
      message: "https://example.com/ can't be reached: no such host.",
    })
    expect(judgePage({ kind: 'redirect', url, redirectedTo: 'https://www.shop.example/x' }, website)).toMatchObject({
      result: 'redirected',
      message: expect.stringContaining("redirects to shop.example, which isn't part of example.com."),
    })
    expect(judgePage({ kind: 'redirect', url, redirectedTo: 'https://www.example.com/' }, website)).toMatchObject({
      result: 'unreachable',
      message: 'https://example.com/ redirects too often.',
    })
  })
})
