/** The team in which the user works, and its people. */
import { useQuery } from '@tanstack/preact-query'
import type { MemberRecord, TeamRecord } from '../../src/teams/schema.ts'
import { api, type ItemResponse, type ListResponse } from './api.ts'
import { queryClient, queryKeys } from './queries.ts'
import { can, currentTeamId } from './team.ts'

export type Member = MemberRecord

/** The path of the team in the API. */
export const teamPath = `api/teams/${currentTeamId}`

export const useTeam = () =>
  useQuery({
    queryKey: queryKeys.team,
    queryFn: async ({ signal }) => (await api.get<ItemResponse<TeamRecord>>(teamPath, signal)).data,
  })

/** Guests can't see the members. */
export const useMembers = () =>
  useQuery({
    queryKey: queryKeys.members,
    queryFn: async ({ signal }) => (await api.get<ListResponse<Member>>(`${teamPath}/members`, signal)).data,
    enabled: can('browse'),
  })

export const refetchMembers = () => queryClient.invalidateQueries({ queryKey: queryKeys.members })
