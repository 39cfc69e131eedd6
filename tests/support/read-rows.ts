/**
 * Counts the rows that PostgreSQL reads for a statement. Unlike the time of a statement, this number doesn't depend on
 * the machine.
 */
import type { Statement } from '../../src/storage/batch.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Queries } from '../../src/storage/transaction.ts'

interface PlanNode {
  'Rows Removed by Filter'?: number
  'Actual Rows': number
  'Actual Loops': number
  Plans?: PlanNode[]
}

/** Counts the rows that the scans of a plan read. */
export function countReadRows({ Plans = [], ...node }: PlanNode): number {
  if (Plans.length > 0)
    return Plans.reduce((sum, plan) => sum + countReadRows(plan), node['Rows Removed by Filter'] ?? 0)
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
}

const formatLiteral = (value: unknown) =>
  `'${Array.isArray(value) ? `{${value}}` : value instanceof Date ? value.toISOString() : value}'`

/**
 * Returns how many rows PostgreSQL reads for the last statement that `work` runs. PostgreSQL uses a generic plan, as it does for
 * statements that a connection has often run.
 */
export async function countRowsReadBy(db: Database, work: (q: Queries) => Promise<unknown>): Promise<number> {
  let rowCount = 0
  await db.transaction(async (transaction) => {
    const explain = async ({ text, values = [] }: Statement) => {
      const args = values.length === 0 ? '' : `(${values.map(formatLiteral).join(', ')})`
      await transaction.query(`prepare explained as ${text}`)
      const [row] = await transaction.query(`explain (analyze, format json) execute explained${args}`)
      await transaction.query('deallocate explained')
      rowCount = countReadRows(row?.['QUERY PLAN'][0].Plan)
      return { rows: [], json: '', count: 0 }
    }
    await transaction.query(`select set_config('plan_cache_mode', 'force_generic_plan', true)`)
    await work({
      query: async (text, values = []) => (await explain({ text, values })).rows,
      async batch(...statements) {
        const results = []
        for (const statement of statements) results.push(await explain(statement))
        return results
      },
    })
  })
  return rowCount
}
