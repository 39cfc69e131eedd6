/** Connects an outbox to its messages. The outbox itself knows neither their tables nor their receivers. */
import type { DeliveryResult } from './delivery-result.ts'

export interface OutboxMessage {
  /** The id is the same for every attempt, so that the receiver can recognize a repeat. */
  messageId: string
  createdAt: Date
  /** Number of attempts so far. */
  attempts: number
  /** Failed attempts of the message's queue since the last success. */
  failuresInARow: number
}

/** A queue that the node `nodeId` has claimed: no other node sends its messages. */
export interface ClaimedQueue<Queue> {
  queue: Queue
  nodeId: number
}

export interface DeliveryAttempt<Queue, Message> extends ClaimedQueue<Queue> {
  message: Message
}

export interface OutboxSource<Queue extends object, Message extends OutboxMessage> {
  /** For log lines, such as "an alert". */
  readonly messageName: string
  readonly giveUpAfterHours: number
  /** Delay before the retry of a message that could not be prepared because the database was unavailable. */
  readonly databaseRetryDelayMs: number

  /** Releases queues of expired nodes, and queues that this node has claimed but that are not in `runningQueues`. */
  releaseAbandoned(nodeId: number, runningQueues: readonly Queue[]): Promise<void>
  /**
   * Claims queues in which messages are due. `areMoreQueuesReady` says whether limits prevented it from claiming all of them.
   */
  claimQueues(
    nodeId: number,
    runningQueues: readonly Queue[],
  ): Promise<{ queues: Queue[]; areMoreQueuesReady: boolean }>
  /** Returns the next message that is due. If none is due, releases the queue. */
  pickNext(claimedQueue: ClaimedQueue<Queue>): Promise<Message | undefined>
  /**
   * Returns a function that sends the message and resolves with the receiver's response. Both functions may throw the
   * errors of `delivery-error.ts`. Before `DeliveryCancelled` is thrown, the message must be stored as cancelled.
   */
  prepare(attempt: DeliveryAttempt<Queue, Message>): Promise<() => Promise<string>>
  /** Stores the result, then continues like `pickNext`. Repeating the call is harmless. */
  settle(attempt: DeliveryAttempt<Queue, Message>, result: DeliveryResult): Promise<Message | undefined>
  /** Stores the result and releases the queue. Repeating the call is harmless. */
  settleAndRelease(attempt: DeliveryAttempt<Queue, Message>, result: DeliveryResult): Promise<void>
  /** Releases the queue. The message was not attempted and stays due, or becomes due at `notBefore`. */
  release(attempt: DeliveryAttempt<Queue, Message>, notBefore: Date | null): Promise<void>
  /** Called once per result, for metrics. */
  countResult?(message: Message, result: DeliveryResult): void
}
