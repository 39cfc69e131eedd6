/** The jobs of the traffic threads, and their replies. */
import type { NewBlock } from '../blocks/block-store.ts'
import type { PartInput } from '../blocks/pack-part.ts'
import type { TrafficPart } from '../blocks/traffic-part.ts'
import type { CountJob } from '../counting/count-job.ts'
import type { DayCounts } from '../counting/question.ts'

export type ThreadJob =
  | ({ kind: 'count' } & CountJob)
  | { kind: 'pack'; input: PartInput }
  | { kind: 'read'; input: PartInput }

export type ThreadReply =
  | { kind: 'count'; days: DayCounts[] }
  | { kind: 'pack'; blocks: NewBlock[] }
  | { kind: 'read'; part: TrafficPart }
  | { kind: 'damaged'; message: string }
