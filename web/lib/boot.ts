/** What the server says about itself and the visitor in every page, so that nothing flickers while it is asked for. */
import type { Boot } from '../../src/web/schema.ts'

export const boot: Boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}')

/** The path that everything lies under, without a slash at the end: empty unless a proxy adds a prefix. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '')

export const isSignedIn = boot.user != null

/** How this server is reached from elsewhere. Where it was not told, only we know what a proxy puts before its paths. */
export const publicUrl = boot.base_url ?? new URL('.', document.baseURI).href.replace(/\/$/, '')

/** What a website puts into its pages so that visitors are counted. */
export const buildTrackingSnippet = (domain: string) => `<script defer src="${publicUrl}/b.js" data-domain="${domain}"></script>`

/** Whether this server can send messages of a kind at all: that is for whoever runs it to set up. */
export const canSend = (kind: keyof NonNullable<Boot['server']>['transports']) =>
  boot.server?.transports[kind] !== false
