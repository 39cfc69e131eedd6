/** The one HTML document of the application, and what differs in it from page to page. */
import { escapeHtml } from '../lib/text.ts'
import type { Boot } from './schema.ts'

export interface Filling {
  /** What relative addresses in the page are relative to, with a slash at its end. */
  base: string
  title: string
  /** Whether search engines may list it. */
  isListed: boolean
  boot: Boot
}

/** What could end the script element, and what ends a line to a script but not to JSON. */
const escapes = /[<>&\u2028\u2029]/g

export function bootText(boot: Boot): string {
  return JSON.stringify(boot).replace(
    escapes,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const marker = /<!--(base|title|robots|boot)-->/

export class Shell {
  /** Text and the name of a marker, by turns. */
  readonly #parts: readonly string[]

  constructor(html: string) {
    this.#parts = html.split(marker)
  }

  fill({ base, title, isListed, boot }: Filling): string {
    const pieces: Record<string, string> = {
      base: `<base href="${escapeHtml(base)}">`,
      title: escapeHtml(title),
      robots: isListed ? '' : '<meta name="robots" content="noindex">',
      boot: `<script type="application/json" id="boot">${bootText(boot)}</script>`,
    }
    return this.#parts.map((part, index) => (index % 2 === 0 ? part : (pieces[part] ?? ''))).join('')
  }
}
