/** What it means that a text is in an answer, or is not. */
import { shorten } from '../../../lib/shorten.ts'
import type { HttpSettings } from '../../../monitors/http-schema.ts'
import { type Failure, failure } from '../failure.ts'
import type { Found } from './search-body.ts'

const QUOTE_MOST = 100

export function textFailure({ keyword, keyword_absent }: HttpSettings, found: Found): Failure | null {
  if (found === 'garbled') return failure('keyword', 'the answer is packed in a way that cannot be undone')
  if ((keyword !== null) === (found === 'found')) return null
  if (keyword === null) return failure('keyword', `${quote(keyword_absent ?? '')} appears in the answer`)
  const where = found === 'cut' ? 'the first MiB of the answer' : 'the answer'
  return failure('keyword', `${quote(keyword)} does not appear in ${where}`)
}

function quote(text: string): string {
  return text.length > QUOTE_MOST ? `"${shorten(text, QUOTE_MOST)}…"` : `"${text}"`
}
