/** A star shows at once; the server is asked behind it, and a mistake is taken back. */
import { showProblem, showToast } from '../../components/toasts.tsx'
import { api } from '../../lib/api.ts'
import { changeOverview, keys, type OverviewWebsite, queryClient } from '../../lib/queries.ts'

type Starred = Pick<OverviewWebsite, 'id' | 'domain' | 'favorite'>

function show(id: number, favorite: boolean): void {
  changeOverview((overview) => ({
    ...overview,
    websites: overview.websites.map((website) => (website.id === id ? { ...website, favorite } : website)),
  }))
}

export async function toggleFavorite({ id, domain, favorite }: Starred): Promise<void> {
  const wanted = !favorite
  // An answer that is on its way does not know of the star: it is asked for again afterwards.
  const isAsking = queryClient.isFetching({ queryKey: keys.overview }) > 0
  if (isAsking) await queryClient.cancelQueries({ queryKey: keys.overview })
  show(id, wanted)
  try {
    await api.put(`api/v1/websites/${id}`, { favorite: wanted })
    void queryClient.invalidateQueries({ queryKey: keys.website(id) })
    showToast(wanted ? `${domain} is a favourite now.` : `${domain} is no longer a favourite.`, {
      undo: () => void toggleFavorite({ id, domain, favorite: wanted }),
    })
  } catch (error) {
    show(id, favorite)
    showProblem(error)
  } finally {
    if (isAsking) void queryClient.invalidateQueries({ queryKey: keys.overview })
  }
}
