import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import sharp from 'sharp'

/** Copies content/, or a folder of it. @param bytesOf returns a file's new bytes, or undefined to copy the file unchanged */
async function copyContent(from: string, to: string, bytesOf: (path: string) => Uint8Array | undefined): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const target = join(to, path.slice(from.length))
    await mkdir(dirname(target), { recursive: true })
    const bytes = bytesOf(path)
    if (bytes) await writeFile(target, bytes)
    else await copyFile(path, target)
  }
}

/** Copies the texts of content/ into a folder for a test that changes them; pictures and other files are empty. */
export const copyTexts = (root: string): Promise<void> =>
  copyContent('content', join(root, 'content'), (path) => (path.endsWith('.yaml') ? undefined : new Uint8Array()))

/** Copies a folder of content/, but replaces each photograph by a small one, which opens fast. All small photographs differ. */
export async function copyWithSmallPhotos(from: string, to: string): Promise<void> {
  let redValue = 0
  const drawPhoto = async () =>
    sharp({ create: { width: 500, height: 300, channels: 3, background: { r: redValue++, g: 20, b: 40 } } })
      .jpeg()
      .toBuffer()
  const photos = (await readdir(from, { recursive: true })).filter((name) => name.endsWith('.jpg'))
  const bytes = new Map(await Promise.all(photos.map(async (name) => [join(from, name), await drawPhoto()] as const)))
  await copyContent(from, to, (path) => bytes.get(path))
}
