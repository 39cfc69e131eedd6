/** HTML as templates: whatever is put in is escaped, unless it is HTML already. */
import { escapeHtml } from './escape-html.ts'

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** undefined and false leave nothing. */
export type Piece = Html | string | number | undefined | false | readonly Piece[]

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  return typeof piece === 'object' ? piece.map(textOf).join('') : escapeHtml(String(piece))
}

export function html(texts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(texts.map((text, n) => text + textOf(pieces[n])).join(''))
}
