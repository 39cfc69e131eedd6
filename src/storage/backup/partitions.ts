/** Creates the partitions that a backup's rows need. Migrations create only a few of them; the server creates the others over time. */
import pg, { type ClientBase } from 'pg'
import { damagedBackupError, type Partition } from './format.ts'

// Bounds and keys from the file go into SQL verbatim, so these patterns accept only text that PostgreSQL itself would print.
const valuePattern = String.raw`(?:'(?:[^'\\]|'')*'|-?\d+(?:\.\d+)?|MINVALUE|MAXVALUE|NULL|true|false)`
const valueListPattern = String.raw`\(${valuePattern}(?:, ${valuePattern})*\)`
const boundPattern = new RegExp(
  String.raw`^(?:DEFAULT|FOR VALUES (?:FROM ${valueListPattern} TO ${valueListPattern}|IN ${valueListPattern}|WITH \(modulus \d+, remainder \d+\)))$`,
)
const keyPattern = /^(?:RANGE|LIST|HASH) \([a-z_][a-z0-9_]*(?:, [a-z_][a-z0-9_]*)*\)$/

export async function createPartitions(client: ClientBase, partitions: readonly Partition[]): Promise<void> {
  for (const { name, parent, bound, key } of partitions) {
    if (!boundPattern.test(bound) || (key !== null && !keyPattern.test(key))) {
      throw damagedBackupError(`the partition ${name} is invalid`)
    }
    // The migrations have already created some of the partitions.
    await client.query(
      `create table if not exists belfry.${pg.escapeIdentifier(name)}
         partition of belfry.${pg.escapeIdentifier(parent)} ${bound} ${key === null ? '' : `partition by ${key}`}`,
    )
  }
}
