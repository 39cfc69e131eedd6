/** Keeps the list of errors in a 422 response short, whatever the client sent. */
import { type FieldErrors, shortenFieldName } from '../lib/problem.ts'
import { truncate } from '../lib/text.ts'

export const MAX_LISTED_ERRORS = 20
/** Some messages name values that the client sent, which can be long. */
const MAX_MESSAGE_LENGTH = 500

const shortenMessage = (message: string) =>
  message.length > MAX_MESSAGE_LENGTH ? `${truncate(message, MAX_MESSAGE_LENGTH)}…` : message

/** Returns the errors to list, and the sentence that describes them. */
export function limitFieldErrors(errors: FieldErrors, detail: string): { errors: FieldErrors; detail: string } {
  const messages = Object.entries(errors).flatMap(([field, texts]) => texts.map((text) => [field, text] as const))
  // The object has no prototype, because a client may send a field called `constructor`.
  const listedErrors: FieldErrors = Object.create(null)
  for (const [field, text] of messages.slice(0, MAX_LISTED_ERRORS)) {
    const name = shortenFieldName(field)
    listedErrors[name] = [...(listedErrors[name] ?? []), shortenMessage(text)]
  }
  const hint = messages.length > MAX_LISTED_ERRORS ? ` Only the first ${MAX_LISTED_ERRORS} errors are listed.` : ''
  return { errors: listedErrors, detail: shortenMessage(detail) + hint }
}
