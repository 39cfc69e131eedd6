/** Short HTML pages in the style of the application. They work without its files and without scripts. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problems } from '../lib/problem.ts'
import { escapeHtml } from '../lib/text.ts'
import { prefersToJson } from './accept.ts'
import { logProblem, sendProblem, toProblem } from './errors.ts'

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  // With `no-referrer`, a browser would submit forms with "Origin: null", which looks like a request from another site.
  'referrer-policy': 'same-origin',
}

/** The colors, fonts and sizes are copied from web/styles, because these pages load no style sheet. */
const style = `
:root { color-scheme: light dark; font: 0.9375rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  background: light-dark(#f6f6f9, #0f0f14); color: light-dark(#1a1a24, #ececf3) }
* { box-sizing: border-box }
body { margin: 0; padding: 12vh 1rem 2rem }
main { max-width: 26rem; margin: 0 auto; padding: 1.5rem; background: light-dark(#fff, #18181f);
  border: 1px solid light-dark(#dfdfe8, #30303c); border-radius: .6rem; box-shadow: 0 1px 2px light-dark(#1a1a2414, #0006) }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance; overflow-wrap: anywhere }
p { margin: 0; overflow-wrap: anywhere }
p + p { margin-top: .75rem }
a { color: light-dark(#4338ca, #a9b3ff); text-underline-offset: .15em }
code { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace; font-size: .9em }
label { display: block; margin: 1rem 0 .3rem; font-weight: 600 }
input { font: inherit; color: inherit; width: 100%; min-height: 2.35rem; padding: .35rem .65rem;
  border: 1px solid light-dark(#83839a, #7f7f95); border-radius: .4rem; background: light-dark(#fff, #18181f) }
button { font: inherit; font-weight: 550; width: 100%; min-height: 2.35rem; margin-top: 1.5rem; padding: .3rem .85rem; cursor: pointer;
  border: 1px solid transparent; border-radius: .4rem; background: light-dark(#4338ca, #5b50e6); color: #fff }
button:hover { background: light-dark(#362da8, #6a60f0) }
:focus-visible { outline: 3px solid light-dark(#6d63f5, #a9b3ff); outline-offset: 2px; border-radius: .4rem }
[role=alert] { margin-top: 1rem; padding: .5rem .75rem; border-radius: .4rem; background: light-dark(#fde4e4, #3b1618); color: light-dark(#b4161b, #ff8a8a) }
small { font-size: .8125rem; color: light-dark(#575769, #a3a3b5) }`

/** `title` and `body` are HTML, not plain text. */
export function renderHtml(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="data:,"><style>${style}</style><body><main>${body}</main></body></html>`
}

export function sendHtml(reply: FastifyReply, text: string) {
  return reply
    .headers(pageHeaders)
    .type('text/html; charset=utf-8')
    .send(text as never)
}

/** Whether a browser is opening a page, rather than a program calling the API. */
export function prefersHtml({ method, url, headers: { accept, authorization } }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    authorization === undefined &&
    !/^\/(?:api|assets)(?:[/?]|$)/.test(url) &&
    prefersToJson(accept, 'text/html')
  )
}

/** Shows an error as an HTML page to a browser, and as a problem response to other clients. */
export function sendProblemPage(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const problem = request.refusal ?? toProblem(error)
  if (!prefersHtml(request)) return sendProblem(problem, request, reply)
  logProblem(problem, request)
  const { status, title } = problems[problem.code]
  const requestIdHtml = status >= 500 ? `<p><small>Request ID: ${request.id}</small></p>` : ''
  const body = `<h1>${title}</h1><p>${escapeHtml(problem.message)}</p>${requestIdHtml}`
  return sendHtml(reply.code(status).headers(problem.headers), renderHtml(title, body))
}
