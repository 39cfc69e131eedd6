/** SQL that checks whether the caller may read the resource that a path names. */
import type { Queries } from '../storage/transaction.ts'

/** By the part of the path before the id. Row level security hides what isn't shared with a guest. */
const resources: Record<string, string> = {
  websites: 'select from websites where user_id = acting_team() and id = $1',
  monitors: 'select from monitors where user_id = own_team() and id = $1',
  incidents: 'select from incidents where user_id = own_team() and id = $1',
  providers: 'select from providers where user_id = own_team() and id = $1',
  maintenances: 'select from maintenances where user_id = own_team() and id = $1',
  'status-pages': 'select from status_pages where user_id = acting_team() and id = $1',
  'status-post-templates': 'select from status_post_templates where user_id = own_team() and id = $1',
}

/** Whether the caller may read the resource that the path names. `id` can have any format, because it isn't validated yet. */
export async function canReadRouteResource(tenant: Queries, url: string, id: unknown): Promise<boolean> {
  const text = resources[/^\/api\/(?:v1\/)?([a-z-]+)\/:id/.exec(url)?.[1] ?? '']
  if (text === undefined) return true
  if (!/^[1-9]\d{0,15}$/.test(String(id))) return false
  return (await tenant.query(text, [id])).length > 0
}
