/** Data that the server embeds in every page, so that the first render needs no request. */
import type { Boot } from '../../src/web/schema.ts'

export const boot: Boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}')

/** Path prefix of the app without a trailing slash. Empty unless a reverse proxy adds a prefix. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '')

export const isSignedIn = boot.user != null

/** The URL at which the browser has loaded this page, which includes the prefix that a reverse proxy adds. */
export const pageUrl = new URL('.', document.baseURI).href.replace(/\/$/, '')

/** The public URL of the server, or else the page's own URL. It changes when an admin saves another public URL. */
export let publicUrl = boot.base_url ?? pageUrl

/** Call it after an admin has changed settings of the server, so that this page uses them without being loaded again. */
export function applyServerSettings({ url, canSendEmail }: { url: string | null; canSendEmail: boolean }): void {
  boot.base_url = url
  publicUrl = url ?? pageUrl
  if (boot.server !== null) boot.server.transports.email = canSendEmail
}

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
