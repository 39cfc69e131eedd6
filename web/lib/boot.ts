/** Data that the server embeds in every page, so that the first render needs no request. */
import type { Boot } from '../../src/web/schema.ts'

export const boot: Boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}')

/** Path prefix of the app without a trailing slash. Empty unless a reverse proxy adds a prefix. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '')

export const isSignedIn = boot.user != null

/** The configured public URL, or else the page's own URL, which includes the prefix that a reverse proxy adds. */
export const publicUrl = boot.base_url ?? new URL('.', document.baseURI).href.replace(/\/$/, '')

/** If the server doesn't know its own URL, it sends paths instead of URLs. */
export const toPublicUrl = (urlOrPath: string) => (urlOrPath.startsWith('/') ? publicUrl + urlOrPath : urlOrPath)

/** The script tag that a website adds to its pages. */
export const buildTrackingSnippet = (domain: string) =>
  `<script defer src="${publicUrl}/b.js" data-domain="${domain}"></script>`

/**
 * Whether this server can send messages of this type. Some types work only if the operator of the server has configured
 * them.
 */
export const canSend = (type: string) =>
  (boot.server?.transports as Record<string, boolean> | undefined)?.[type] !== false
