/**
 * Keeps the bodies of responses whose JSON is tested, and tests them: short simple ones immediately, others in a worker
 * thread.
 */
import { isSingularPath } from '../../../../lib/json-path.ts'
import { CheckSlots } from '../../check-slots.ts'
import type { HttpTarget, Inconclusive } from '../../probe.ts'
import { findJsonProblem } from './find-problem.ts'
import { type JsonVerdict, JsonWorkerClient } from './worker-client.ts'

/** Parsing hostile JSON of this length takes up to 1 ms (Neoverse N1). JSON of 1 MiB takes up to 150 ms. */
const MAX_INLINE_BYTES = 16 * 1024
/** The limit for all paths of a check together, in characters. Evaluating paths of this length takes up to 1 ms. */
const MAX_INLINE_PATH_LENGTH = 1_000

/**
 * The limit for all assertions of a check together. Ten paths such as `$..name` in a document of 1 MiB take 0.9 s
 * (Neoverse N1).
 */
const MAX_CPU_MS = 1_000

/**
 * Bodies are kept in blocks of this size. The bodies of all checks together use at most 64 MiB, which users share
 * fairly.
 */
const BLOCK_BYTES = 4 * 1024
const MAX_BLOCKS = 16_384

const tooManyBodies: Inconclusive = { inconclusive: 'The Belfry server was too busy to read the JSON' }

export class JsonTester {
  readonly #blockSlots = new CheckSlots(MAX_BLOCKS)
  readonly #worker: JsonWorkerClient

  constructor(maxCpuMs = MAX_CPU_MS) {
    this.#worker = new JsonWorkerClient(maxCpuMs)
  }

  /** Call `release` on the returned test, whatever happens to the check. */
  start(target: HttpTarget, contentType: string | undefined): JsonTest {
    return new JsonTest(target, contentType, {
      blockSlots: this.#blockSlots,
      worker: this.#worker,
    })
  }

  close(): void {
    this.#worker.close()
  }
}

interface SharedResources {
  blockSlots: CheckSlots
  worker: JsonWorkerClient
}

export class JsonTest {
  readonly #target: HttpTarget
  readonly #contentType: string | undefined
  readonly #shared: SharedResources
  /**
   * Copies of the received bytes. A server could send each byte in a separate chunk, and keeping these chunks would
   * take a hundred times the memory.
   */
  #blocks: Buffer[] = []
  #length = 0
  #isOverLimit = false

  constructor(target: HttpTarget, contentType: string | undefined, shared: SharedResources) {
    this.#target = target
    this.#contentType = contentType
    this.#shared = shared
  }

  add(chunk: Buffer): void {
    for (let offset = 0; offset < chunk.length && !this.#isOverLimit; ) {
      const position = this.#length % BLOCK_BYTES
      if (position === 0 && !this.#addBlock()) return
      const copiedBytes = chunk.copy(this.#blocks.at(-1) as Buffer, position, offset)
      offset += copiedBytes
      this.#length += copiedBytes
    }
  }

  #addBlock(): boolean {
    const { teamId } = this.#target
    if (this.#shared.blockSlots.hasFreeSlotFor(teamId)) {
      this.#shared.blockSlots.take(teamId)
      this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES))
      return true
    }
    this.release()
    this.#isOverLimit = true
    return false
  }

  /**
   * Call this after the whole body has been added. A short simple test returns its verdict immediately, without a
   * promise.
   */
  finish(): JsonVerdict | Promise<JsonVerdict> {
    if (this.#isOverLimit) return tooManyBodies
    const { teamId, http } = this.#target
    const job = {
      body: Buffer.concat(this.#blocks, this.#length),
      contentType: this.#contentType,
      assertions: http.json,
    }
    const isSimple = this.#length <= MAX_INLINE_BYTES && areSimple(http.json.map(({ path }) => path))
    return isSimple ? { problem: findJsonProblem(job) } : this.#shared.worker.run(teamId, job)
  }

  release(): void {
    for (const _ of this.#blocks) this.#shared.blockSlots.release(this.#target.teamId)
    this.#blocks = []
  }
}

const areSimple = (paths: readonly string[]) =>
  paths.join('').length <= MAX_INLINE_PATH_LENGTH && paths.every(isSingularPath)
