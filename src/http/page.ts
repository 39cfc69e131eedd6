/** A page in plain HTML: one style, nothing from elsewhere, no scripts. */
import type { FastifyReply } from 'fastify'

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  // Not `no-referrer`: with it a browser sends the form with the origin "null", as a foreign page would.
  'referrer-policy': 'same-origin',
}

const plainStyle = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 26rem; margin: 12vh auto; padding: 0 1.25rem }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
input, button { font: inherit; box-sizing: border-box; width: 100%; padding: .6rem .75rem; border-radius: .4rem; border: 1px solid #8889 }
button { margin-top: 1.5rem; border: 0; background: #1d4ed8; color: #fff; font-weight: 600; cursor: pointer }
:focus-visible { outline: 3px solid #3b82f6; outline-offset: 2px }
[role=alert] { border-left: 4px solid #dc2626; padding-left: .75rem }
small { opacity: .75 }`

interface Document {
  /** HTML, as is the body. */
  title: string
  body: string
  style: string
  /** Whether search engines may list it. */
  isListed: boolean
}

export function wholeDocument({ title, body, style, isListed }: Document): string {
  const robots = isListed ? '' : '<meta name="robots" content="noindex">'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${robots}<title>${title}</title><link rel="icon" href="data:,"><style>${style}</style><body>${body}</body></html>`
}

/** A short one, in the middle of the window. */
export function document(title: string, body: string): string {
  return wholeDocument({ title, body: `<main>${body}</main>`, style: plainStyle, isListed: true })
}

export function sendPage(reply: FastifyReply, text: string) {
  return reply
    .headers(pageHeaders)
    .type('text/html; charset=utf-8')
    .send(text as never)
}
