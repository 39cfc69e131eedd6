/** Keeps the bodies of responses whose JSON is tested, and tests them: short simple ones at once, others in a worker thread. */
import type { IncomingMessage } from 'node:http'
import { isSingularPath } from '../../../../lib/json-path.ts'
import { CheckSlots } from '../../../check-slots.ts'
import { hasFreeSlotFor } from '../../../fair-shares.ts'
import type { HttpTarget, Inconclusive } from '../../probe.ts'
import { findJsonProblem } from './assertions.ts'
import { type JsonVerdict, JsonWorkerClient } from './worker-client.ts'

/** Parsing hostile JSON of this length takes up to 1 ms (Neoverse N1), and one of 1 MiB up to 150 ms. */
const MAX_INLINE_BYTES = 16 * 1024

/** For all assertions of a check together. Ten paths such as `$..name` in a document of 1 MiB take 0.9 s (Neoverse N1). */
const MAX_CPU_MS = 1_000

/** Together, the bodies of all checks use at most 64 MiB. Users share these blocks fairly. */
const BLOCK_BYTES = 16 * 1024
const MAX_BLOCKS = 4_096

const tooManyBodies: Inconclusive = { inconclusive: 'The Belfry server was too busy to read the JSON' }

export class JsonTester {
  readonly #blocks = new CheckSlots(MAX_BLOCKS)
  readonly #worker: JsonWorkerClient

  constructor(maxCpuMs = MAX_CPU_MS) {
    this.#worker = new JsonWorkerClient(maxCpuMs)
  }

  /** Call `release` on the returned test, whatever happens to the check. */
  start(target: HttpTarget, response: IncomingMessage): JsonTest {
    return new JsonTest(target, response.headers['content-type'], { blocks: this.#blocks, worker: this.#worker })
  }

  close(): void {
    this.#worker.close()
  }
}

export class JsonTest {
  readonly #target: HttpTarget
  readonly #contentType: string | undefined
  readonly #shared: { blocks: CheckSlots; worker: JsonWorkerClient }
  #chunks: Buffer[] = []
  #length = 0
  #heldBlocks = 0
  #isOverLimit = false

  constructor(
    target: HttpTarget,
    contentType: string | undefined,
    shared: { blocks: CheckSlots; worker: JsonWorkerClient },
  ) {
    this.#target = target
    this.#contentType = contentType
    this.#shared = shared
  }

  add(chunk: Buffer): void {
    const { blocks } = this.#shared
    const { userId } = this.#target
    this.#length += chunk.length
    while (!this.#isOverLimit && this.#heldBlocks * BLOCK_BYTES < this.#length) {
      if (hasFreeSlotFor(blocks, userId)) {
        blocks.take(userId)
        this.#heldBlocks++
      } else this.#isOverLimit = true
    }
    if (this.#isOverLimit) this.release()
    else this.#chunks.push(chunk)
  }

  /** Call this after the whole body has been added. A short simple test has its verdict at once, without a promise. */
  finish(): JsonVerdict | Promise<JsonVerdict> {
    if (this.#isOverLimit) return tooManyBodies
    const { userId, http } = this.#target
    const job = { body: Buffer.concat(this.#chunks), contentType: this.#contentType, assertions: http.json }
    const isSimple = this.#length <= MAX_INLINE_BYTES && http.json.every(({ path }) => isSingularPath(path))
    return isSimple ? { problem: findJsonProblem(job) } : this.#shared.worker.run(userId, job)
  }

  release(): void {
    this.#chunks = []
    for (; this.#heldBlocks > 0; this.#heldBlocks--) this.#shared.blocks.release(this.#target.userId)
  }
}
