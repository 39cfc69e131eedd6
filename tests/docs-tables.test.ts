/** Compares docs/tables.md, which says who writes which table, with the SQL of the stores and of the triggers. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSources, type Sources } from './support/imports.ts'

interface TableRow {
  table: string
  line: number
  /** Folders of `src/` whose code writes the table, and triggers that write it, such as `trigger on monitors`. */
  writers: string[]
}

interface TableWrite {
  table: string
  /** The folder of the store, or a trigger, such as `trigger on monitors`. */
  writer: string
  file: string
}

const migrations = readSources('migrations', (path) => /\/\d{4}_.*\.sql$/.test(path))
/** The tables by name. The name of a partition maps to its partitioned table. */
const tables = new Map([['migrations', 'migrations'], ...[...migrations.values()].flatMap(listTables)])

// Leaves out `belfry restore` and `belfry move`, which replace the rows of all tables, as the introduction of the
// document says.
const stores = readSources(
  'src',
  (path) =>
    (path.endsWith('store.ts') || path.startsWith('src/storage/')) &&
    /(?<!\.test|\.d)\.ts$/.test(path) &&
    !/^src\/storage\/(backup|move)\//.test(path),
)

const rows = readTableRows(readFileSync(join(import.meta.dirname, '../docs/tables.md'), 'utf8'))
const writes = [...listStoreWrites(stores), ...listTriggerWrites(migrations)]

describe('docs/tables.md', () => {
  it('lists every table of the migrations once', () => {
    expect(tables.size).toBeGreaterThan(50)
    expect(rows.map(({ table }) => table).sort()).toEqual([...new Set(tables.values())].sort())
  })

  it('names every folder and trigger that writes a table', () => {
    expect(writes.length).toBeGreaterThan(90)
    expect(listMissingWriters(rows, writes)).toEqual([])
  })

  it('names no folder and no trigger that does not write the table', () => {
    expect(listNeedlessWriters(rows, writes)).toEqual([])
  })
})

describe('the comparison of docs/tables.md with the code', () => {
  const [row] = readTableRows('| `users` | People | `accounts` (sign-up), trigger on `keys` |')
  const store = (sql: string) => listStoreWrites(new Map([['src/websites/store.ts', sql]]))

  it('reads from each line of the document which folders and triggers write the table', () => {
    expect(row).toEqual({ table: 'users', line: 1, writers: ['accounts', 'trigger on keys'] })
  })

  it.each([
    'insert into users (id) values ($1)',
    'update users set id = $1',
    'update only users as u\n   set id = $1',
    'delete from users',
    'merge into users u using x',
    'truncate users',
  ])('finds the table in: %s', (sql) => {
    expect(store(sql).map(({ table }) => table)).toEqual(['users'])
  })

  it('finds all tables that a file names if a statement takes the table name from a variable', () => {
    const text = `const names = ['events', 'visits']\nq.query(\`delete from \${name}\`)`
    expect(store(text).map(({ table }) => table)).toEqual(['events', 'visits'])
  })

  it.each(['select from users for update', '-- on conflict do update set id = 1', 'update set users = 1'])(
    'finds no write in: %s',
    (sql) => {
      expect(store(sql)).toEqual([])
    },
  )

  it('says which line to change', () => {
    const rowsOfUsers = row === undefined ? [] : [row]
    const writesOfUsers = store('delete from users')
    expect(listMissingWriters(rowsOfUsers, writesOfUsers)).toEqual([
      'docs/tables.md:1: add `websites` to the writers of `users`, because src/websites/store.ts writes it',
    ])
    expect(listNeedlessWriters(rowsOfUsers, writesOfUsers)).toEqual([
      'docs/tables.md:1: remove `accounts` from the writers of `users`',
      'docs/tables.md:1: remove `trigger on keys` from the writers of `users`',
    ])
  })
})

function listTables(sql: string): [name: string, table: string][] {
  return [...sql.matchAll(/^create (?:unlogged )?table (\w+)(?: partition of (\w+))?/gm)].map(
    ([, name = '', parent]) => [name, parent ?? name],
  )
}

function readTableRows(page: string): TableRow[] {
  return page.split('\n').flatMap((text, index) => {
    const [, table, writtenBy = ''] = text.match(/^\| `(\w+)` \|.*\| ([^|]*) \|$/) ?? []
    if (table === undefined) return []
    const writers = [...writtenBy.replace(/\([^)]*\)/g, '').matchAll(/(trigger on )?`([^`]*)`/g)]
    return { table, line: index + 1, writers: writers.map(([, trigger = '', name]) => `${trigger}${name}`) }
  })
}

function listStoreWrites(sources: Sources): TableWrite[] {
  return [...sources].flatMap(([file, text]) =>
    findWrittenTables(text).map((table) => ({ table, writer: relative('src', dirname(file)), file })),
  )
}

/** Reads the functions of triggers, and on which table each runs. */
function listTriggerWrites(sources: Sources): TableWrite[] {
  const triggerPattern = /^create trigger \w+\s[^;]*?\son (\w+)[^;]*?execute function (\w+)/gm
  return [...sources].flatMap(([file, sql]) =>
    [...sql.matchAll(triggerPattern)].flatMap(([, table = '', name = '']) => {
      const body = sql.match(new RegExp(`^create function ${name}\\(\\)[^$]*\\$\\$([^$]*)\\$\\$`, 'm'))?.[1]
      if (body === undefined) throw new Error(`${file} does not define the function ${name} of a trigger`)
      return findWrittenTables(body).map((written) => ({ table: written, writer: `trigger on ${table}`, file }))
    }),
  )
}

/** A statement that takes its table from a variable counts for every table whose name is a string in the file. */
function findWrittenTables(text: string): string[] {
  const writePattern =
    /\b(?:insert into|delete from|merge into|truncate(?: table)?|update(?: only)?(?=\s+\S+(?:\s+as)?(?:\s+\w+)?\s+set\b))\s+(?:only\s+)?(?:belfry\.)?(\w+|\$\{)/gi
  const names = [...text.matchAll(writePattern)].map(([, name = '']) => name)
  const namedTables = names.includes('${') ? [...text.matchAll(/'(\w+)'/g)].map(([, name = '']) => name) : []
  return [...new Set([...names, ...namedTables].flatMap((name) => tables.get(name) ?? []))]
}

function listMissingWriters(documented: TableRow[], actual: TableWrite[]): string[] {
  return actual.flatMap(({ table, writer, file }) => {
    const row = documented.find((candidate) => candidate.table === table)
    if (row === undefined || row.writers.some((name) => covers(name, writer))) return []
    return `docs/tables.md:${row.line}: add \`${writer}\` to the writers of \`${table}\`, because ${file} writes it`
  })
}

function listNeedlessWriters(documented: TableRow[], actual: TableWrite[]): string[] {
  return documented.flatMap(({ table, line, writers }) =>
    writers
      .filter((name) => !actual.some((write) => write.table === table && covers(name, write.writer)))
      .map((name) => `docs/tables.md:${line}: remove \`${name}\` from the writers of \`${table}\``),
  )
}

/** A folder in the document also covers its subfolders. */
function covers(name: string, writer: string): boolean {
  return writer === name || writer.startsWith(`${name}/`)
}
