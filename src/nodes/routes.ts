/** Problems of the server that an admin has to solve. */
import { adminOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import type { DiskSpace } from './disk-space.ts'
import { ServerProblemsResponse } from './schema.ts'

export function serverProblemRoutes(app: App, { db, diskSpace }: RouteDeps & { diskSpace: DiskSpace }): void {
  app.get(
    '/api/server/problems',
    {
      config: { access: adminOnly },
      schema: {
        tags: ['Server'],
        operationId: 'listServerProblems',
        summary: 'List problems of the server',
        description: 'Problems that an admin has to solve, such as a full disk. Every page shows them to admins.',
        response: { 200: ServerProblemsResponse },
      },
    },
    async (request) => {
      await db.as(callerOf(request)).confirm()
      return { data: diskSpace.problem === undefined ? [] : [{ message: diskSpace.problem }] }
    },
  )
}
