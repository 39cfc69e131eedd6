import { can } from './team.ts'

/** Leads to the editor, or to the posts if the user can't change the page. */
export const toStatusPagePath = (id: number) =>
  can('edit shared') ? `/status-pages/${id}` : `/status-pages/${id}/posts`
