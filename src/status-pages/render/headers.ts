/** The headers of the HTML pages that this folder renders. */
import { passwordScript } from '../../lib/password-field.ts'
import type { SnapshotPage } from '../snapshot.ts'
import { createAccentStyle, getFontStyle, getPageScript, getPageStyle } from './assets.ts'

export interface StatusPageHeaderOptions {
  /** The value that the page was rendered with. */
  fontBase: string
  /** A preview is shown in a frame of the editor, and its form can't be sent. */
  isPreview?: boolean
  /** A page that asks for a password has another script. */
  hasPasswordField?: boolean
}

/** The caller adds the headers about caching. `accentColor` must be the one that the page was rendered with. */
export function statusPageHeaders(
  { accentColor }: Pick<SnapshotPage, 'accentColor'>,
  { fontBase, isPreview = false, hasPasswordField = false }: StatusPageHeaderOptions,
): Record<string, string> {
  const styles = [
    getFontStyle(fontBase),
    getPageStyle(),
    ...(accentColor === null ? [] : [createAccentStyle(accentColor)]),
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${hasPasswordField ? passwordScript.hash : getPageScript().hash}`,
      `style-src ${styles.map(({ hash }) => hash).join(' ')}`,
      "font-src 'self'",
      // The icon of the tab is a data: URL.
      "img-src 'self' data:",
      "connect-src 'self'",
      `form-action ${isPreview ? "'none'" : "'self'"}`,
      `frame-ancestors ${isPreview ? "'self'" : "'none'"}`,
      "base-uri 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    // With `no-referrer`, a browser would submit forms with "Origin: null", which looks like a request from another site.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
}
