// Uses the client that openapi-generator makes for Kotlin; prints what it got.
import org.openapitools.client.apis.AccountsAndTokensApi
import org.openapitools.client.apis.JobsApi
import org.openapitools.client.apis.TranslationApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.ErrorBody
import org.openapitools.client.models.RegisterRequest
import org.openapitools.client.models.TranslateRequest
import org.openapitools.client.models.ValidationErrorBody

inline fun <reified Body> bodyOf(call: () -> Unit): Body {
    try {
        call()
    } catch (refused: ClientException) {
        val body = (refused.response as ClientError<*>).body as String
        return Serializer.moshi.adapter(Body::class.java).fromJson(body)!!
    }
    error("It was not refused.")
}

fun main() {
    val api = System.getenv("API")
    val name = System.getenv("NAME")
    val password = "seven storks by the lake"
    val accounts = AccountsAndTokensApi(api)
    val registration = RegisterRequest(username = name, email = "$name@example.com", password = password)
    accounts.register(registration)
    ApiClient.accessToken = accounts.issueToken(username = name, password = password).accessToken

    val request = TranslateRequest(sourceLanguage = "eng", targetLanguage = "lug", text = "How are you?")
    val translation = TranslationApi(api)
    val translated = translation.translate(request)
    val jobs = JobsApi(api).listJobs()
    val refused = bodyOf<ErrorBody> { translation.translate(request.copy(targetLanguage = "klingon")) }
    val invalid = bodyOf<ValidationErrorBody> { accounts.register(registration.copy(username = "a b")) }
    println("[\"${translated.output?.translatedText}\",${jobs.jobs.size},\"${refused.error.code}\",\"${invalid.detail[0].msg}\"]")
}
