/** The jobs of the traffic threads, and their replies. */
import type { NewBlock } from '../blocks/block-store.ts'
import type { PartSources } from '../blocks/pack-part.ts'
import type { TrafficPart } from '../blocks/traffic-part.ts'
import type { CountJob } from '../counting/count-sources.ts'
import type { DayCounts } from '../counting/question.ts'

export type Job =
  | ({ kind: 'count' } & CountJob)
  | { kind: 'pack'; sources: PartSources }
  | { kind: 'read'; sources: PartSources }

export type JobReply =
  | { kind: 'count'; days: DayCounts[] }
  | { kind: 'pack'; blocks: NewBlock[] }
  | { kind: 'read'; part: TrafficPart }
  | { kind: 'damaged'; message: string }
