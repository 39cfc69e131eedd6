/** The HTML document around the content of a status page or a small page of the same style. */
import { escapeHtml } from '../../lib/text.ts'
import type { SnapshotPage } from '../snapshot.ts'
import { createAccentStyle, getPageScript, getPageStyle } from './assets.ts'

export interface DocumentContent {
  page: Pick<SnapshotPage, 'title' | 'theme' | 'accentColor' | 'logoHash'>
  /** The path of the status page, for its logo and feeds. undefined: no link to it. */
  path: string | undefined
  /** The text of the tab. */
  title: string
  description?: string
  isIndexed: boolean
  kind: 'status' | 'notice'
  /** A color, which the icon of the tab shows. */
  iconColor?: string
  /** More elements of the head. */
  headHtml?: string
  /** At the end of the page's header. */
  linksHtml?: string
  mainHtml: string
  /** Before "Powered by Belfry". */
  footerHtml?: string
  /** undefined: the page doesn't update itself. */
  hasScript?: boolean
}

const DEFAULT_ICON_COLOR = '#4f46e5'

export function renderDocument(content: DocumentContent): string {
  const { page, path, title, description, isIndexed, kind, headHtml = '', linksHtml = '', mainHtml } = content
  const { iconColor = DEFAULT_ICON_COLOR, footerHtml = '', hasScript = false } = content
  const accentHtml = page.accentColor === null ? '' : `<style>${createAccentStyle(page.accentColor).code}</style>`
  const descriptionHtml =
    description === undefined ? '' : `<meta name="description" content="${escapeHtml(description)}">`
  return `<!doctype html><html lang="en" data-theme="${page.theme}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>${descriptionHtml}${isIndexed ? '' : '<meta name="robots" content="noindex">'}<meta name="color-scheme" content="${page.theme === 'auto' ? 'light dark' : page.theme}"><link rel="icon" href="${toIconUrl(iconColor)}">${headHtml}<style>${getPageStyle().code}</style>${accentHtml}</head><body class="${kind}-page"><header class="top">${renderBrand(page, path)}${linksHtml}</header><main id="main">${mainHtml}</main><footer class="foot">${footerHtml}<p>Powered by Belfry</p></footer>${hasScript ? `<script>${getPageScript().code}</script>` : ''}</body></html>`
}

/** A dot, which is enough to see the state in a row of tabs. */
function toIconUrl(color: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="12" fill="${color}"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

function renderBrand({ title, logoHash }: DocumentContent['page'], path: string | undefined): string {
  const titleHtml = `<bdi>${escapeHtml(title)}</bdi>`
  const hasLogo = logoHash !== null && path !== undefined
  const brandHtml = hasLogo
    ? `<img class="logo" src="${escapeHtml(`${path}/logo?v=${logoHash}`)}" alt="${escapeHtml(title)}">`
    : titleHtml
  return path === undefined
    ? `<p class="brand">${brandHtml}</p>`
    : `<p class="brand"><a href="${escapeHtml(path)}">${brandHtml}</a></p>`
}
