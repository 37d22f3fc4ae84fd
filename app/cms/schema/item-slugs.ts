import { slugOf } from './slug.ts'

/** Maximum length of a slug, for URLs that are read aloud or printed. */
const MAX_SLUG_CHARACTERS = 50

/** Returns a title as a slug, cut at a word; '' for a title without letters and digits. */
export function itemSlugOf(title: string): string {
  const slug = slugOf(title)
  if (slug.length <= MAX_SLUG_CHARACTERS) return slug
  const prefix = slug.slice(0, MAX_SLUG_CHARACTERS + 1)
  return prefix.slice(0, prefix.lastIndexOf('-') > 0 ? prefix.lastIndexOf('-') : MAX_SLUG_CHARACTERS)
}

/**
 * Adds a slug to each item: its id or, without one, its title. A slug that is taken gets a number after it.
 * @param fallback slug of a title without letters and digits
 */
export function withSlugs<Item extends { id?: string | undefined; titulo: string }>(
  items: readonly Item[],
  fallback: string,
): (Item & { slug: string })[] {
  const takenSlugs = new Set(items.flatMap(({ id }) => id ?? []))
  const seenIds = new Set<string>()
  return items.map((item) => {
    const { id, titulo } = item
    const isFirstWithId = id !== undefined && !seenIds.has(id)
    if (id !== undefined) seenIds.add(id)
    const preferredSlug = id ?? (itemSlugOf(titulo) || fallback)
    let slug = preferredSlug
    for (let number = 2; !isFirstWithId && takenSlugs.has(slug); number++) slug = `${preferredSlug}-${number}`
    takenSlugs.add(slug)
    return { ...item, slug }
  })
}
