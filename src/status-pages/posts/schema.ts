/** Requests and responses of posts on a status page, their updates, and templates. */
import type { Static } from 'typebox'
import {
  inputField,
  itemResponse,
  listResponse,
  resourceId,
  stringEnum,
  timestamp,
  timestampOrNull,
} from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import {
  MAX_PAGE_MONITORS,
  MAX_POST_BODY_LENGTH,
  MAX_POST_TITLE_LENGTH,
  MAX_TEMPLATE_NAME_LENGTH,
  postStates,
} from '../../shared/status-pages.ts'

const title = Type.String({ minLength: 1, maxLength: MAX_POST_TITLE_LENGTH, examples: ['Checkout is slow'] })
const state = stringEnum(postStates, { examples: ['investigating'] })
const body = Type.String({
  minLength: 1,
  maxLength: MAX_POST_BODY_LENGTH,
  description: 'Markdown. HTML is shown as text, and an image as its alternative text.',
  examples: ['We are looking into **slow payments**.'],
})
const monitorIds = Type.Array(resourceId, {
  maxItems: MAX_PAGE_MONITORS,
  uniqueItems: true,
  description: 'Affected monitors. They must be on the page.',
  examples: [[3]],
})
const notify = Type.Boolean({ description: 'Whether subscribers get an email' })

export const PostUpdateRecord = Type.Object(
  { id: Type.Integer({ examples: [8] }), state, body, created_at: timestamp, updated_at: timestamp },
  { additionalProperties: false },
)
export type PostUpdateRecord = Static<typeof PostUpdateRecord>
export const PostUpdateResponse = itemResponse(PostUpdateRecord)

const TotalMeta = Type.Object({ total: Type.Integer({ examples: [1] }) }, { additionalProperties: false })
export const PostUpdateList = listResponse(PostUpdateRecord, TotalMeta)

const PostIncident = Type.Object(
  {
    id: Type.Integer({ examples: [9] }),
    monitor_id: Type.Integer({ examples: [3] }),
    started_at: timestamp,
    resolved_at: timestampOrNull,
  },
  { additionalProperties: false },
)

export const PostRecord = Type.Object(
  {
    id: Type.Integer({ examples: [5] }),
    title,
    state: { ...state, description: 'The state of the latest update' },
    body: { ...body, description: 'The text of the first update' },
    monitor_ids: Type.Array(Type.Integer(), {
      description: 'Affected monitors that are on the page',
      examples: [[3]],
    }),
    update_count: Type.Integer({
      description: 'Including the first update, which is the text of the post',
      examples: [1],
    }),
    latest_update: PostUpdateRecord,
    incidents: Type.Array(PostIncident, {
      description:
        'Incidents of the affected monitors that the post is about, newest first: those that overlap with the post, or ended up to an hour before it (a day, if the post was published as resolved). At most 50 are listed.',
    }),
    status_page_id: Type.Integer({ examples: [1] }),
    created_at: timestamp,
    updated_at: timestamp,
    resolved_at: timestampOrNull,
  },
  { additionalProperties: false },
)
export type PostRecord = Static<typeof PostRecord>
export const PostResponse = itemResponse(PostRecord)

export const PostQuery = Type.Object({
  state: Type.Optional(
    stringEnum(['open', 'resolved'], { description: 'Only posts that are not resolved yet, or only resolved ones' }),
  ),
})

export const postParams = Type.Object({ id: resourceId, post_id: resourceId })
export const postUpdateParams = Type.Object({ id: resourceId, post_id: resourceId, update_id: resourceId })

export const CreatePost = Type.Object(
  {
    title,
    state: inputField(state, true, 'investigating'),
    body,
    monitor_ids: Type.Optional(monitorIds),
    incident_id: Type.Optional({
      ...resourceId,
      description:
        'The id of an incident. If `monitor_ids` is not sent, the post affects the monitor of this incident.',
    }),
    notify: inputField(notify, true, true),
  },
  { additionalProperties: false },
)
export type CreatePost = Static<typeof CreatePost>

export const UpdatePost = Type.Object(
  {
    title: Type.Optional(title),
    state: Type.Optional({ ...state, description: 'Replaces the state of the latest update' }),
    body: Type.Optional({ ...body, description: 'Replaces the text of the first update' }),
    monitor_ids: Type.Optional(monitorIds),
  },
  { additionalProperties: false },
)
export type UpdatePost = Static<typeof UpdatePost>

export const CreatePostUpdate = Type.Object(
  { state, body, notify: inputField(notify, true, true) },
  { additionalProperties: false },
)
export type CreatePostUpdate = Static<typeof CreatePostUpdate>

export const ChangePostUpdate = Type.Object(
  { state: Type.Optional(state), body: Type.Optional(body) },
  { additionalProperties: false },
)
export type ChangePostUpdate = Static<typeof ChangePostUpdate>

const templateName = Type.String({ minLength: 1, maxLength: MAX_TEMPLATE_NAME_LENGTH, examples: ['Slow payments'] })

export const PostTemplateRecord = Type.Object(
  {
    id: Type.Integer({ examples: [2] }),
    name: templateName,
    title,
    state,
    body,
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)
export type PostTemplateRecord = Static<typeof PostTemplateRecord>
export const PostTemplateResponse = itemResponse(PostTemplateRecord)
export const PostTemplateList = listResponse(PostTemplateRecord, TotalMeta)

export const CreatePostTemplate = Type.Object(
  { name: templateName, title, state: inputField(state, true, 'investigating'), body },
  { additionalProperties: false },
)
export type CreatePostTemplate = Static<typeof CreatePostTemplate>

export const UpdatePostTemplate = Type.Object(
  {
    name: Type.Optional(templateName),
    title: Type.Optional(title),
    state: Type.Optional(state),
    body: Type.Optional(body),
  },
  { additionalProperties: false },
)
export type UpdatePostTemplate = Static<typeof UpdatePostTemplate>
