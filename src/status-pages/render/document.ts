/** The HTML document around the content of a status page or a small page of the same style. */
import { getInterFonts } from '../../lib/inter-fonts.ts'
import { escapeHtml } from '../../lib/text.ts'
import type { StateTone } from '../../shared/page-states.ts'
import type { SnapshotPage } from '../snapshot.ts'
import type { StatusPagePaths } from '../urls.ts'
import { createAccentStyle, getFontStyle, getPageScript, getPageStyle } from './assets.ts'
import { renderMark } from './mark.ts'
import { toIconUrl } from './tab-icon.ts'

export interface DocumentContent {
  page: Pick<SnapshotPage, 'title' | 'theme' | 'accentColor' | 'logoHash'>
  /** The paths of the status page, for its logo and for the link to it. undefined: the document has neither. */
  paths: Pick<StatusPagePaths, 'base' | 'page'> | undefined
  /** What the URLs of fonts begin with: see `toFontBase`. */
  fontBase: string
  /** The title of the browser tab. */
  title: string
  /** Search engines show this text below the title. */
  description?: string
  isIndexed: boolean
  /** The h1 of a status page and of its history is the title of the page. The h1 of a notice is in `mainHtml`. */
  kind: 'status' | 'history' | 'notice'
  /** Decides the color and shape of the icon of the tab. undefined: the icon shows no state. */
  tone?: StateTone
  /** Additional elements of the head. */
  headHtml?: string
  /** This is shown below the page's title. */
  introHtml?: string
  /** This is shown beside the page's title. */
  linksHtml?: string
  mainHtml: string
  /** This is shown before "Powered by Belfry". */
  footerHtml?: string
  hasScript?: boolean
  /** Whether the script looks for a newer page. */
  isLive?: boolean
}

export function renderDocument(content: DocumentContent): string {
  const { kind, mainHtml, introHtml = '', linksHtml = '', footerHtml = '', hasScript = false, isLive = false } = content
  return [
    `<!doctype html><html lang="en" data-theme="${content.page.theme}">`,
    renderHead(content),
    `<body class="${kind}-page"${isLive ? ' data-live' : ''}>`,
    `<header class="top"><div class="top-row">${renderBrand(content)}${linksHtml}</div>${introHtml}</header>`,
    `<main id="main">${mainHtml}</main>`,
    `<footer class="foot">${footerHtml}<p class="powered">${renderMark()}Powered by Belfry</p></footer>`,
    hasScript ? `<script>${getPageScript().code}</script>` : '',
    '</body></html>',
  ].join('')
}

/** These characters can reverse the text after them. In the page, <bdi> isolates them, but <title> can't contain elements. */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g

function renderHead({ page, fontBase, title, description, isIndexed, tone, headHtml = '' }: DocumentContent): string {
  const { theme, accentColor, logoHash } = page
  return [
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title.replace(directionControls, ''))}</title>`,
    description === undefined ? '' : `<meta name="description" content="${escapeHtml(description)}">`,
    isIndexed ? '' : '<meta name="robots" content="noindex">',
    `<meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}">`,
    `<link rel="icon" href="${toIconUrl({ tone, accentColor, hasLogo: logoHash !== null })}">`,
    `<link rel="preload" as="font" type="font/woff2" crossorigin href="${escapeHtml(`${fontBase}${getInterFonts()[0]?.fileName}`)}">`,
    headHtml,
    `<style>${getFontStyle(fontBase).code}</style>`,
    `<style>${getPageStyle().code}</style>`,
    accentColor === null ? '' : `<style>${createAccentStyle(accentColor).code}</style>`,
    '</head>',
  ].join('')
}

function renderBrand({ page: { title, logoHash }, paths, kind }: DocumentContent): string {
  const brandHtml =
    logoHash !== null && paths !== undefined
      ? `<img class="logo" src="${escapeHtml(`${paths.base}/logo?v=${logoHash}`)}" alt="${escapeHtml(title)}">`
      : `${renderMark()}<bdi>${escapeHtml(title)}</bdi>`
  if (kind === 'status') return `<h1 class="brand">${brandHtml}</h1>`
  const linkHtml = paths === undefined ? brandHtml : `<a href="${escapeHtml(paths.page)}">${brandHtml}</a>`
  return kind === 'history' ? `<h1 class="brand">${linkHtml}</h1>` : `<p class="brand">${linkHtml}</p>`
}
