/** Backups of kinds of tables that no migration has created yet. */
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { readPartitions, readSequences, readTables, requireAllRowsVisible } from './catalogue.ts'
import { fillWithoutConstraints } from './constraints.ts'
import type { Partition } from './format.ts'
import { createPartitions } from './partitions.ts'

describe('a backup', () => {
  let database: TestDatabase
  let client: pg.Client

  beforeEach(async () => {
    database = await createTestDatabase()
    client = new pg.Client(database.connection)
    await client.connect()
    await client.query(`set search_path = belfry, public; set timezone = 'UTC'`)
  })
  afterEach(async () => {
    await client.end()
    await database.drop()
  })

  const createPartitionedTableSql = `create table tales (
    id bigint generated always as identity, day date not null, at timestamptz not null default now(),
    loud text generated always as (upper(quiet)) stored, quiet text) partition by range (day)`

  it('contains a partitioned table as one table, and omits generated columns and unlogged tables', async () => {
    await client.query(createPartitionedTableSql)
    await client.query('create unlogged table scratch (id int)')
    const tablesBefore = await readTables(client, 'backup')
    await client.query(`create table tales_2026 partition of tales for values from ('2026-01-01') to ('2027-01-01')`)
    expect(await readTables(client, 'backup')).toEqual(tablesBefore)
    expect(tablesBefore.find(({ name }) => name === 'tales')?.columns).toEqual(['id', 'day', 'at', 'quiet'])
    expect(tablesBefore.map(({ name }) => name)).not.toContain('scratch')
    expect(tablesBefore.map(({ name }) => name)).not.toContain('migrations')
    expect((await readSequences(client, 'backup')).map(({ name }) => name)).toContain('tales_id_seq')
  })

  it('restores partitions of every kind, including sub-partitions', async () => {
    await client.query(createPartitionedTableSql)
    await client.query(`
      create table tales_old partition of tales for values from (minvalue) to ('2026-01-01');
      create table tales_2026 partition of tales for values from ('2026-01-01') to ('2027-01-01') partition by list (quiet);
      create table tales_2026_ab partition of tales_2026 for values in ('a', 'it''s', null);
      create table tales_rest partition of tales default;
      create table shards (id bigint) partition by hash (id);
      create table shards_0 partition of shards for values with (modulus 2, remainder 0)`)
    const partitions = await readPartitions(client, 'backup')
    expect(partitions.filter(({ name }) => /^(tales|shards)_/.test(name))).toHaveLength(5)
    await client.query('drop table tales_old, tales_2026, tales_rest, shards_0')
    await createPartitions(client, partitions)
    expect(await readPartitions(client, 'backup')).toEqual(partitions)
    await createPartitions(client, partitions)
  })

  it('rejects SQL injected into the definition of a partition', async () => {
    await client.query(createPartitionedTableSql)
    const injections: Partial<Partition>[] = [
      { bound: 'DEFAULT; drop table users' },
      { bound: `FOR VALUES IN ('a'); drop table users; --')` },
      { bound: `FOR VALUES IN (lower('A'))` },
      { key: 'RANGE (day); drop table users' },
    ]
    for (const injection of injections) {
      const partition = { name: 'tales_1', parent: 'tales', bound: 'DEFAULT', key: null, ...injection }
      await expect(createPartitions(client, [partition])).rejects.toThrow('the partition tales_1 is invalid')
    }
  })

  it('is restored without foreign keys and triggers, which are back afterwards', async () => {
    await client.query(`
      create table a (id int primary key, b int);
      create table b (id int primary key, a int references a on delete cascade deferrable);
      alter table a add constraint "a to b" foreign key (b) references b;
      create function shout() returns trigger language plpgsql as $$ begin raise exception 'a trigger ran'; end $$;
      create trigger shouting before insert on a for each row execute function shout()`)
    const foreignKeysQuery = `select conname, pg_get_constraintdef(oid) as definition from pg_constraint where contype = 'f' order by 1`
    const foreignKeysBefore = (await client.query(foreignKeysQuery)).rows
    const tables = [
      { name: 'a', columns: ['id', 'b'] },
      { name: 'b', columns: ['id', 'a'] },
    ]
    const fill = (sql: string) => () => client.query(sql).then(() => {})
    await client.query('begin')
    await fillWithoutConstraints(client, tables, fill('insert into a values (1, 2); insert into b values (2, 1)'))
    await client.query('commit')
    expect((await client.query(foreignKeysQuery)).rows).toEqual(foreignKeysBefore)
    await expect(client.query('insert into a values (3, null)')).rejects.toThrow('a trigger ran')
    await client.query('begin')
    await expect(fillWithoutConstraints(client, tables, fill('insert into a values (1, 3)'))).rejects.toThrow(
      'foreign key',
    )
    await client.query('rollback')
    expect((await client.query('select * from a')).rows).toEqual([{ id: 1, b: 2 }])
  })

  it('is refused if row level security would hide rows', async () => {
    await expect(requireAllRowsVisible(client, 'backup')).resolves.toBeUndefined()
    await client.query('drop policy across_users on sessions')
    await expect(requireAllRowsVisible(client, 'backup')).rejects.toThrow(
      "This database login can't see every row of sessions.",
    )
  })
})
