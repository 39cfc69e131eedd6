import type { Static } from 'typebox'
import { listResponse, nullable, stringEnum, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_LISTED_BEATS, MAX_OUTPUT_BYTES } from '../shared/monitors.ts'
import { beatKinds } from './beats.ts'

const describeTime = (description: string) =>
  nullable(Type.String({ format: 'date-time', description, examples: ['2026-01-05T10:00:00.000Z'] }))

const BeatRecord = Type.Object(
  {
    id: Type.Integer({ examples: [5_120] }),
    received_at: timestamp,
    kind: stringEnum(beatKinds, {
      description: '`alive`: a plain beat; `start`: a run began; `finish`: a run ended',
      examples: ['finish'],
    }),
    exit_code: nullable(Type.Integer({ description: 'null if the beat reported none', examples: [0] })),
    failed: Type.Boolean({ description: 'Whether the beat reported a failure', examples: [false] }),
    duration_ms: nullable(
      Type.Integer({ description: 'From the start of the run to this beat; null if no run ended', examples: [41_870] }),
    ),
  },
  { additionalProperties: false },
)
export type BeatRecord = Static<typeof BeatRecord>

const BeatMeta = Type.Object(
  {
    last_beat_at: describeTime('The last beat other than `start`'),
    run_started_at: describeTime('Start of the run in progress; null if none is known'),
    next_expected_at: describeTime(
      'When the next beat is expected. An incident opens if none has arrived `grace` seconds later. null while the monitor is pending or paused',
    ),
    last_output: nullable(
      Type.String({
        description: `The body of the last POST request that had one, cut after ${MAX_OUTPUT_BYTES} bytes`,
        examples: ['Backed up 1,204 files'],
      }),
    ),
    last_output_at: timestampOrNull,
  },
  { additionalProperties: false },
)
export type BeatMeta = Static<typeof BeatMeta>

export const BeatList = listResponse(BeatRecord, BeatMeta)
export type BeatList = Static<typeof BeatList>

export const beatListDescription = `The latest ${MAX_LISTED_BEATS} beats. The list is empty for monitors of other types.`

const token = Type.String({ minLength: 1, description: 'The last part of the monitor’s `url`' })
export const BeatParams = Type.Object({ token })
export const SignalParams = Type.Object({
  token,
  signal: Type.String({
    description:
      '`start`: a run begins. `fail`: the run failed. An exit code from `0` to `255`: the run ended; any code except `0` is a failure',
    examples: ['start'],
  }),
})

/** Any content type is accepted, and also a body without one. */
export const BeatOutput = Type.String({
  description: `Output of the job. The first ${MAX_OUTPUT_BYTES} bytes are kept.`,
  examples: ['Backed up 1,204 files'],
})
