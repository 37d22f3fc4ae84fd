import { accountsOf, fileRefusalResponse, mayOpen, organiserOf } from '#app/accounts/guards.server.ts'
import { editionServicesOf } from '#app/cms/context.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { AssetFile } from '#app/cms/media/image-manifest.server.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { fileResponse } from '#app/core/http/file-response.server.ts'
import { IMMUTABLE_CACHE_CONTROL, NO_DOCUMENT_POLICY, PICTURE_POLICY } from '#app/core/http/response-headers.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'

/**
 * Serves the edition's pictures and videos. Pictures that only the press pages show require an account that may open these pages,
 * unless the edition opens them to the public.
 */
export const pictures: EarlyRoute = {
  paths: ['/img/:file{[\\w.-]+}', '/media/:file{[\\w.-]+}'],
  methods: ['GET'],
  async answer(request, context) {
    const { mediaCache, draftPreviews } = editionServicesOf(context)
    const { services } = servicesOf(context)
    const { pathname } = new URL(request.url)
    const assetFile = await mediaCache.findFile(pathname)
    if (!assetFile) {
      // Until they are published, a draft's pictures are for accounts that may edit the site.
      if (!(await organiserOf(request, accountsOf(context), 'sitio'))) return undefined
      const draft = await draftPreviews.read((await loadEditionCard()).anio)
      const draftFile = draft && (await mediaCache.findFile(pathname, draft.displayed.manifest))
      return (
        draftFile &&
        fileResponse(draftFile.path, request, {
          'content-type': draftFile.contentType,
          'cache-control': 'private, no-store',
        })
      )
    }
    if (assetFile.isPressOnly && !(await mayOpen(services.db, accountsOf(context), request, 'prensa')))
      return fileRefusalResponse(request)
    // While a size is still being generated, the file is another size or the original.
    return fileResponse(assetFile.path, request, {
      'content-type': assetFile.contentType,
      'cache-control': cacheOf(assetFile),
      // An SVG may contain scripts, so it gets the stricter policy.
      'content-security-policy': assetFile.contentType === 'image/svg+xml' ? NO_DOCUMENT_POLICY : PICTURE_POLICY,
    })
  },
}

const cacheOf = ({ isFinal, isPressOnly }: AssetFile) =>
  !isFinal ? 'no-store' : isPressOnly ? 'private, max-age=3600' : IMMUTABLE_CACHE_CONTROL
