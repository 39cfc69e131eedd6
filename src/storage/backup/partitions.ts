/** Partitions are made as time goes by, so a backup's rows need the ones it had. */
import pg, { type ClientBase } from 'pg'
import { damaged, type Partition } from './format.ts'

// These two go into SQL as they stand in the file, so nothing passes that PostgreSQL would not print there.
const value = String.raw`(?:'(?:[^'\\]|'')*'|-?\d+(?:\.\d+)?|MINVALUE|MAXVALUE|NULL|true|false)`
const values = String.raw`\(${value}(?:, ${value})*\)`
const boundPattern = new RegExp(
  String.raw`^(?:DEFAULT|FOR VALUES (?:FROM ${values} TO ${values}|IN ${values}|WITH \(modulus \d+, remainder \d+\)))$`,
)
const keyPattern = /^(?:RANGE|LIST|HASH) \([a-z_][a-z0-9_]*(?:, [a-z_][a-z0-9_]*)*\)$/

export async function makePartitions(client: ClientBase, partitions: readonly Partition[]): Promise<void> {
  for (const { name, parent, bound, key } of partitions) {
    if (!boundPattern.test(bound) || (key !== null && !keyPattern.test(key))) {
      throw damaged(`the partition ${name} cannot be understood`)
    }
    // Some a migration has made already.
    await client.query(
      `create table if not exists belfry.${pg.escapeIdentifier(name)}
         partition of belfry.${pg.escapeIdentifier(parent)} ${bound} ${key === null ? '' : `partition by ${key}`}`,
    )
  }
}
