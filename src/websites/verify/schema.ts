import type { Static } from 'typebox'
import { itemResponse, nullable, stringEnum, timestamp } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'

/** What the verification can find. Only with `installed` and `several` are visits counted as the page is now. */
export const verificationResults = [
  'installed',
  'several',
  'tag_manager',
  'script',
  'missing',
  'inactive',
  'wrong_domain',
  'wrong_server',
  'local_address',
  'mixed_content',
  'blocked',
  'redirected',
  'not_html',
  'http_error',
  'unreachable',
] as const
export type VerificationResult = (typeof verificationResults)[number]

const FoundSnippet = Type.Object({
  src: Type.String({ description: 'The URL of the script', examples: ['https://stats.example.com/b.js'] }),
  domain: Type.String({ description: 'The value of `data-domain`, or else the host of the page' }),
  events_url: Type.String({ description: 'Where the script sends events' }),
})

const BlockedDirectiveRecord = Type.Object({
  directive: stringEnum(['script-src', 'connect-src']),
  source: stringEnum(['header', 'meta'], { description: 'Where the page has the policy' }),
  current: Type.String({ description: 'The directive that blocks the tracker', examples: ["default-src 'self'"] }),
  required: Type.String({
    description: 'The directive that allows the tracker. It replaces `current`, or is added beside a `default-src`',
    examples: ["script-src 'self' https://stats.example.com"],
  }),
})

const VerificationRecord = Type.Object({
  result: stringEnum(verificationResults, {
    description: 'What the page contains. docs/websites.md describes each result',
  }),
  message: Type.String({ description: 'The result in words, and what to do' }),
  url: nullable(Type.String({ description: 'The page that was read, after redirects. null if no page was read' })),
  status: nullable(Type.Integer({ description: 'The status code of the page' })),
  snippets: Type.Array(FoundSnippet),
  blocked: Type.Array(BlockedDirectiveRecord, {
    description: "The directives of the page's Content-Security-Policy that block the tracker",
  }),
  verified_at: timestamp,
})
export type VerificationRecord = Static<typeof VerificationRecord>

export const VerificationResponse = itemResponse(VerificationRecord)
