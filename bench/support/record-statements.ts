import type { Statement } from '../../src/storage/batch.ts'
import type { Database } from '../../src/storage/database.ts'

/** Returns the statements that `work` sends with `db.query` and `db.batch`. */
export async function recordStatements(db: Database, work: () => Promise<unknown>): Promise<Statement[]> {
  const recordedStatements: Statement[] = []
  const { batch } = db
  // `query` calls `batch`, so replacing one method records both.
  db.batch = (...statements) => {
    recordedStatements.push(...statements)
    return batch.apply(db, statements)
  }
  try {
    await work()
  } finally {
    db.batch = batch
  }
  return recordedStatements
}
