/** What a check failed by, for people: what happened, and what it usually means. */
import type { Cause } from '../../src/shared/causes.ts'

export const causeTexts: Record<Cause, { title: string; text: string }> = {
  dns: {
    title: 'The name was not found',
    text: 'No address could be looked up for this name. It may be misspelt, or its DNS has a fault.',
  },
  connect: {
    title: 'No connection',
    text: 'The server refused the connection, or could not be reached. It may be off, or behind a firewall.',
  },
  tls: {
    title: 'The connection is not secure',
    text: 'The certificate is not valid for this address, or the two sides could not agree on encryption.',
  },
  timeout: {
    title: 'It took too long',
    text: 'There was no complete answer within the timeout.',
  },
  http_status: {
    title: 'An unexpected status',
    text: 'The server answered, but with a status that is not among the expected ones.',
  },
  keyword: {
    title: 'The text is not as expected',
    text: 'A text that must appear is missing, or one that must not appear is there.',
  },
  redirect: {
    title: 'A redirect that leads nowhere',
    text: 'There were too many redirects, or one of them points to something that is no web address.',
  },
  ping: {
    title: 'No reply to ping',
    text: 'None of the echoes came back. The host may be off, or does not answer to ping.',
  },
  blocked: {
    title: 'This address is not allowed here',
    text: 'The address lies in a private or reserved network. Belfry does not connect there unless whoever runs this server allows it: otherwise anybody with an account could look around in there.',
  },
}

/** What a check says in detail is a sentence without its beginning and end. */
export function toSentence(detail: string): string {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
