/** Toggles a favorite: shows the change immediately, saves it in the background and reverts it if saving fails. */

import { api } from '../../lib/api.ts'
import { type OverviewWebsite, queryClient, queryKeys, updateCachedOverview } from '../../lib/queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'

type FavoriteTarget = Pick<OverviewWebsite, 'id' | 'domain' | 'favorite'>

function setCachedFavorite(id: number, favorite: boolean): void {
  updateCachedOverview((overview) => ({
    ...overview,
    websites: overview.websites.map((website) => (website.id === id ? { ...website, favorite } : website)),
  }))
}

export async function toggleFavorite({ id, domain, favorite }: FavoriteTarget): Promise<void> {
  const isFavorite = !favorite
  // A running request may return the overview without this change. Cancel it and fetch again after saving.
  const isFetching = queryClient.isFetching({ queryKey: queryKeys.overview }) > 0
  if (isFetching) await queryClient.cancelQueries({ queryKey: queryKeys.overview })
  setCachedFavorite(id, isFavorite)
  try {
    await api.put(`api/v1/websites/${id}`, { favorite: isFavorite })
    void queryClient.invalidateQueries({ queryKey: queryKeys.website(id) })
    showToast(isFavorite ? `${domain} added to favorites.` : `${domain} removed from favorites.`, {
      undo: () => void toggleFavorite({ id, domain, favorite: isFavorite }),
    })
  } catch (error) {
    setCachedFavorite(id, favorite)
    showProblem(error)
  } finally {
    if (isFetching) void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  }
}
