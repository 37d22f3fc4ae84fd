import { dropUploadOf } from '#app/core/uploads/drop-upload.client.ts'

/** Whose the uploads of a submission are. */
export const ownerOf = (entrega: string) => ({ 'x-entrega': entrega })

/** Tells the server that a file will not be needed after all. */
export const dropUpload = (entrega: string, url: string | undefined): void => dropUploadOf(ownerOf(entrega), url)
