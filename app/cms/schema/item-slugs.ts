import { slugOf } from './slug.ts'

/** An address that is read aloud or printed has at most this many characters after its last slash. */
const MAX_SLUG_CHARACTERS = 50

/** Writes a title as the last part of an address, cut at a word; '' for a title without letters and digits. */
export function itemSlugOf(title: string): string {
  const slug = slugOf(title)
  if (slug.length <= MAX_SLUG_CHARACTERS) return slug
  const prefix = slug.slice(0, MAX_SLUG_CHARACTERS + 1)
  return prefix.slice(0, prefix.lastIndexOf('-') > 0 ? prefix.lastIndexOf('-') : MAX_SLUG_CHARACTERS)
}

/**
 * Adds to each item the last part of its address: its id, else its title. An item whose address another one has already gets a number.
 * @param fallback stands for a title without letters and digits
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
