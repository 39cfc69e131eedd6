import type { Static } from 'typebox'
import { Type } from '../lib/type.ts'

export const ServerProblem = Type.Object(
  {
    message: Type.String({
      description: 'What is wrong, and what to do',
      examples: [
        'The disk of the PostgreSQL server is full, so nothing new can be stored. Free some space on that server.',
      ],
    }),
  },
  { additionalProperties: false },
)
export type ServerProblem = Static<typeof ServerProblem>

export const ServerProblemsResponse = Type.Object(
  { data: Type.Array(ServerProblem, { description: 'Empty if there are none' }) },
  { additionalProperties: false },
)
