/** The HTML document of the web application, with placeholders for what differs between pages. */
import { escapeHtml } from '../lib/text.ts'
import type { Boot } from './schema.ts'

export interface ShellContent {
  /** The base URL for relative URLs, with a trailing slash. */
  base: string
  title: string
  /** Whether search engines can index the page. */
  isIndexed: boolean
  boot: Boot
}

/**
 * The character `<` could end the script element. The other characters are escaped in case the JSON is ever run as
 * JavaScript.
 */
const unsafeCharacters = /[<>&\u2028\u2029]/g

export function serializeBoot(boot: Boot): string {
  return JSON.stringify(boot).replace(
    unsafeCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const placeholderPattern = /<!--(base|title|robots|boot)-->/

export class Shell {
  /** The parts are alternately HTML and the name of a placeholder. */
  readonly #parts: readonly string[]

  constructor(html: string) {
    this.#parts = html.split(placeholderPattern)
  }

  fill({ base, title, isIndexed, boot }: ShellContent): string {
    const values: Record<string, string> = {
      base: `<base href="${escapeHtml(base)}">`,
      title: escapeHtml(title),
      robots: isIndexed ? '' : '<meta name="robots" content="noindex">',
      boot: `<script type="application/json" id="boot">${serializeBoot(boot)}</script>`,
    }
    return this.#parts.map((part, index) => (index % 2 === 0 ? part : (values[part] ?? ''))).join('')
  }
}
