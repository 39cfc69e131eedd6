/** Moving a website or a monitor to another team. */
import { itemResponse, resourceId } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'

export const Move = Type.Object(
  { team_id: { ...resourceId, description: 'The other team, of which you must be an owner or admin, too' } },
  { additionalProperties: false },
)

export const MovedResponse = itemResponse(
  Type.Object({ id: Type.Integer(), team_id: Type.Integer() }, { additionalProperties: false }),
)
