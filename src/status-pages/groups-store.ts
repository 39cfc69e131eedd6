/** SQL for the groups of a status page and their monitors. */
import { invalid } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'
import type { ParsedGroup } from './settings.ts'

/** Replaces all groups of a page. Call this in a transaction that runs as the team `teamId` and has locked the page. */
export async function replaceGroups(
  q: Queries,
  teamId: number,
  pageId: number,
  groups: readonly ParsedGroup[],
): Promise<void> {
  const monitors = groups.flatMap((group, groupPosition) =>
    group.monitors.map(({ monitorId, label }, position) => ({ monitorId, label, groupPosition, position })),
  )
  // Guests see no monitors. They may keep those of the page, and move, rename and remove them.
  const [kept] = await q.batch({
    text: `select array_agg(monitor_id)::bigint[] as ids, array_agg(label) as labels
             from status_page_monitors where user_id = acting_team() and page_id = $1 and own_team() is null`,
    values: [pageId],
  })
  const { ids: keptIds, labels: keptLabels } = kept?.rows[0] ?? {}
  const [, , inserted] = await q.batch(
    {
      text: 'delete from status_page_groups where user_id = acting_team() and page_id = $1',
      values: [pageId],
    },
    {
      text: `insert into status_page_groups (user_id, page_id, position, name)
             select $1, $2, named.position - 1, named.name
               from unnest($3::text[]) with ordinality as named (name, position)`,
      values: [teamId, pageId, groups.map(({ name }) => name)],
    },
    {
      // The lock waits for a concurrent transaction that deletes one of these monitors. The results then lack this monitor.
      text: `with listed as (
               select * from unnest($3::bigint[], $4::text[], $5::smallint[], $6::smallint[])
                 as listed (monitor_id, label, group_position, position)
             ), found as (
               select m.id, m.friendly_name
                 from monitors m
                where m.user_id = acting_team() and m.id = any ($3)
                order by m.id
                  for key share
             ), shown as (
               select * from found
               union all
               select * from unnest($7::bigint[], $8::text[])
             )
             insert into status_page_monitors (user_id, page_id, monitor_id, group_position, position, label)
             select $1, $2, shown.id, listed.group_position, listed.position, coalesce(listed.label, shown.friendly_name)
               from listed
               join shown on shown.id = listed.monitor_id
             returning monitor_id`,
      values: [
        teamId,
        pageId,
        monitors.map(({ monitorId }) => monitorId),
        monitors.map(({ label }) => label),
        monitors.map(({ groupPosition }) => groupPosition),
        monitors.map(({ position }) => position),
        keptIds ?? [],
        keptLabels ?? [],
      ],
    },
  )
  const knownIds = new Set(inserted?.rows.map((row) => row['monitor_id']))
  const unknownIds = monitors.map(({ monitorId }) => monitorId).filter((id) => !knownIds.has(id))
  if (unknownIds.length === 0) return
  throw invalid({ groups: [`\`groups\` contains ids that are not among your monitors: ${unknownIds.join(', ')}.`] })
}
