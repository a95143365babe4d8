"""Ordinary lines of text and code without secrets, for the tests of redaction."""

ENGLISH = """
My name is Peter and I am vegetarian.
I moved to Lisbon in 2019 and I work as a frontend developer.
Call me at +1 (415) 555-0132 after 6pm.
My number is 555-0199, leave a message.
The office phone is +44 20 7946 0958.
Order 4539148803436467-A was shipped on 2024-05-12.
Your order number is 4916338506082832.
Order #4532015112830366 has been delivered.
Tracking number: 6011000990139424 arrived in Leeds.
Invoice 2024/000123 is due on 30/06/2024.
The ticket id is 4000056655665556, please look at it.
ISBN 978-0-306-40615-7 is the book I meant.
ISBN-13: 9783161484100 and ISBN-10: 0-306-40615-2.
EAN 4006381333931 is on the box.
The IMEI is 490154203237518, says the phone.
We shipped version 10.15.7 and then v2.0.0-rc1.
The commit is 9fceb02d0ae598e95dc970b74767f19372d61af8.
See commit e83c5163316f89bfbde7d9ab23ca2e25604af290 for the first one.
Request id 550e8400-e29b-41d4-a716-446655440000 failed.
The trace is 4bf92f3577b34da6a3ce929d0e0e4736, the span 00f067aa0ba902b7.
md5 of the file: d41d8cd98f00b204e9800998ecf8427e
sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
It was 2024-01-15T10:30:00Z when the server stopped.
The timestamp 1704067200000 is in milliseconds.
Epoch in nanoseconds: 1704067200000000000.
Pi is 3.14159265358979323846 and e is 2.71828182845904523536.
The distance is 384400 km and the mass 5.972e24 kg.
Population: 1,428,627,663 people.
My zip code is 94103-1234 and the area code 415.
Flight TP1234 leaves at 10:45 from gate 23.
Meet me at 37.7749, -122.4194 tomorrow.
The IP is 192.168.100.200 and the port 8080.
IPv6: 2001:0db8:85a3:0000:0000:8a2e:0370:7334
MAC address 00:1B:44:11:3A:B7
I weigh 72.5 kg and I am 182 cm tall.
She was born on 1990-04-23 in Porto.
We need 16 digits for the card number field.
Card numbers have 16 digits, e.g. 1234 5678 9012 3456 is not a real one.
The test card 0000 0000 0000 0000 is refused.
My card ends in 4242.
The last four digits are 1111.
The password is too weak.
My password is wrong.
My password is expired, what now?
My password is not working.
My password was changed yesterday.
I forgot my password again.
Our password policy is strict.
The password must have at least 8 characters.
Password: minimum 12 characters, one digit.
Password length: 16
Password reset link sent to your email.
Passwords are hashed with bcrypt.
What is a good password manager?
My password manager is 1Password.
Password: 8-character minimum
The password field is empty.
Our password is shared with nobody.
My password is stored in the vault.
My wifi password is weak.
The password for the portal is in the envelope.
Please enter your password below.
Password: ********
Password: [hidden]
Password: <your password here>
Password: your_password
The token expired after 30 minutes.
The model has a token limit of 200000.
Token: 1500 used of 4096
We used 12345 tokens in this request.
max_tokens was 4096 and temperature 0.7.
A token is about 4 characters of English.
The secret is to add a little lemon.
The secret to good bread is time: 24 hours at 4 degrees.
Secret Santa: draw the names on Friday.
The key is under the mat.
Key: value pairs are stored in Redis.
The key to success is patience.
API key rotation happens every 90 days.
The API key is stored in the vault.
Where do I find my API key?
Set the API key in the settings page.
Bearer of bad news: the build failed.
He is the standard-bearer of the movement.
Basic authentication is not enough.
The bearer authentication-scheme-is-described-in-rfc-6750 there.
I prefer tabs to spaces.
We decided to use PostgreSQL 16 with pgvector 0.8.
The stack is React 18, FastAPI 0.115 and Redis 7.2.
Use sk-learn for the baseline, it is quick.
The CSS class is sk-loading-spinner-container-large.
The class sk-circle-fade-dot-animation-wrapper is from a library.
I like scikit-learn and tensorflow.
The SKU is SKU-2024-0001-XL.
The AC is broken, it is 35 degrees here.
AKIA is not a word I know.
ASIA is a continent and EUROPE another.
AIza is how the keys begin.
ghp_ is the prefix of a GitHub token.
Keys begin with sk- or pk- there.
The hf_transfer package makes downloads fast.
npm_config_registry is a variable.
The xoxo at the end of the letter.
SG. is short for Singapore.
The pypi-server is down.
IBAN is required for transfers.
My IBAN starts with PT50.
GB is a country code, and DE89 a prefix.
The reference RF18 5390 0754 7034 is on the bill.
Room DE12 3456 7890 1234 5678 90 does not exist.
Model FR54 is out of stock.
My SSN is private, I will not write it here.
The form asks for a social security number.
The part number is 123-456-7890.
Extension 123-45 is free.
Call 800-555-1234 now.
The score was 21-17-2024 in the minutes.
We met on 12-05-2024 and on 2024-12-05.
The range 100-200-3000 is inclusive.
My PIN is secret.
The pin 13 of the connector is broken: 5000 ohm.
The map has a pin at 40.7128.
PIN code 560001 is Bangalore.
The seed phrase must be kept offline.
Recovery words are twelve or twenty-four.
A security code was sent to your phone.
The CVV is on the back of the card.
The article has 1234567 views.
Budget: 1000 tokens; buffer: 6 messages.
In 2023 we made 4,111,111 euros.
I ran 42.195 km in 3:45:12.
The meeting is at 10:30, room 4111.
My cat's name is Luna and she is 3.
I am allergic to peanuts and shellfish.
I hate coriander.
Remind me to water the plants every 2 days.
He said: "the password is a lie".
The default password is documented in the manual.
What does "password is required" mean?
The field password is required.
The user's password is hashed and salted.
My password is long and complicated.
The passphrase is a sentence you remember.
Passcode is disabled on this device.
The passport number is on page 2.
The passenger list: 120 people.
Compass: 270 degrees.
Tokyo: 14 million people.
A monkey: 3 kg of bananas.
The turkey is 12 pounds.
Keyboard: 104 keys.
Hockey: 3-2 after overtime.
The donkey was 14 years old.
https://example.com/orders/4532015112830366/details
https://example.com/a?id=1234567890123456&x=1
https://user@example.com/path
http://localhost:8080/path@version
ssh://git@github.com:22/owner/repo.git
git@github.com:owner/repo.git
postgres://localhost:5432/app
postgresql://user:password@localhost/db
redis://:${REDIS_PASSWORD}@cache:6379/0
mysql://root:<password>@db/app
amqp://guest@rabbit:5672
mailto:peter@example.com
The e-mail is maria.silva+news@example.com.
urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6
doi:10.1000/182 and arXiv:2401.12345v2
CVE-2024-12345 is fixed in 3.0.13.
RFC 6750 describes bearer tokens.
Error 0x80070005 at address 0x7ffee4b0c9d8.
The color is #ff00aa and rgba(255, 0, 170, 0.5).
The unicode point is U+1F600.
""".strip().splitlines()

PORTUGUESE = """
Meu nome é Pedro e tenho 30 anos.
Sou vegetariano e odeio coentro.
Moro em Lisboa desde 2019.
Quero aprender a programar este ano.
Fui demitido hoje.
Meu telefone é (11) 98765-4321.
Liga para +55 21 99876-5432 depois das 18h.
O número é 5511987654321, no WhatsApp.
Telemóvel: 912 345 678
O pedido 4916338506082832 saiu para entrega.
Pedido nº 4532015112830366 confirmado.
Código de rastreio: QB123456789BR
O protocolo é 4000056655665556.
Nota fiscal 000.123.456 série 1.
A fatura vence em 10/06/2024.
O CEP é 01310-100, São Paulo.
Código postal 1000-205 Lisboa.
Nasci em 23/04/1990.
O processo é 0001234-56.2024.8.26.0100.
CPF é obrigatório no cadastro.
O CPF 111.111.111-11 não é válido.
O CPF 123.456.789-00 está errado.
O campo CPF aceita 11 dígitos.
CNPJ 11.111.111/1111-11 é inválido.
O CNPJ da empresa está no rodapé.
O PIS foi pago em 2023.
O PIS é depositado dia 15.
NIF não informado.
O NIF tem 9 dígitos.
Contribuinte número 12 da lista.
O IBAN está na fatura.
A senha está errada.
Minha senha é fraca.
Minha senha é muito simples.
Minha senha é a mesma em tudo.
Minha senha foi trocada ontem.
Minha senha expirou.
Esqueci minha senha de novo.
A senha deve ter 8 caracteres.
Senha: mínimo de 8 caracteres
Senha: obrigatória
A senha do wifi está no roteador.
A senha do portal é pessoal.
A senha é criptografada com bcrypt.
Minha senha é diferente da sua.
Nossa senha é segura.
Qual é a senha do wifi?
Digite sua senha abaixo.
Senha: ********
Senha: <sua senha>
Troque a senha a cada 90 dias.
A resenha: 12345 leitores gostaram.
Ela desenha: 3 quadros por mês.
A ordenha: 200 litros por dia.
O token expira em 30 minutos.
O limite é de 4096 tokens.
A chave está embaixo do tapete.
A chave do sucesso é a paciência.
A chave da API fica no cofre.
O segredo é o tempero.
O segredo: 2 colheres de azeite.
O PIN é secreto.
O pino 13 está quebrado.
O código de segurança chegou por SMS.
Meu cartão termina em 4242.
O cartão tem 16 dígitos.
O cartão 1234 5678 9012 3456 é só um exemplo.
A conta é 12345-6, agência 0001.
O boleto 23793.38128 60000.000003 00000.000400 1 84340000012345 vence amanhã.
A placa do carro é ABC1D23.
O voo LA3456 sai às 10h45.
A reunião é às 14:30 na sala 4111.
O jogo terminou 3 a 2.
Peso 72,5 kg e tenho 1,82 m.
A população é de 203.080.756 habitantes.
O preço é R$ 1.234.567,89.
Custa 4.111,11 euros.
São 10 km até 2025.
O livro tem ISBN 978-85-359-0277-5.
Versão 2.0.1 lançada em 2024-05-12.
Decidimos usar PostgreSQL 16.
O banco é PostgreSQL e o cache é Redis.
O erro 404 apareceu 1234567 vezes.
O commit 9fceb02d0ae598e95dc970b74767f19372d61af8 resolveu.
O id é 550e8400-e29b-41d4-a716-446655440000.
Estou ansioso com os prazos.
Ela trabalha: dev frontend
nome: Ana
idade: 30 anos
O filho nasceu em 12/05/2024 às 10h30.
O aniversário é 15-08-1985.
Me lembra de pagar a conta dia 10.
Prefiro café sem açúcar.
Sou alérgico a amendoim.
A frase de recuperação fica no papel.
O apartamento 1234, bloco 56, torre 7.
Rua Augusta, 1508, apto 42, São Paulo - SP, 01304-001
A linha 4 do metrô tem 11 estações.
O canal tem 1.234.567.890 visualizações.
Lei 13.709/2018 (LGPD), art. 18, inciso VI.
Resolução 2.309-45 do conselho.
Processo SEI 12345.678901/2024-12.
RG 12.345.678-9 é de outro estado.
Título de eleitor: seção 0123, zona 045.
Senha de atendimento: aguarde ser chamado.
A senha provisória é enviada por e-mail.
Palavra-passe esquecida? Clique aqui.
A palavra-passe é pessoal e intransmissível.
O passo 2 é: 1500 voltas.
A passagem: 250 reais.
""".strip().splitlines()

CODE = """
password = getpass.getpass("Password: ")
password = os.environ["DB_PASSWORD"]
password = os.getenv("PASSWORD_2")
password = input("Password: ")
password = request.form["password"]
password = settings.database.password1
password = None
password: str
password: str = Field(min_length=8, max_length=128)
password: Optional[str] = None
password: String,
password: { type: String, required: true, minlength: 8 },
password: z.string().min(8).max(64),
password: Joi.string().pattern(new RegExp("^[a-zA-Z0-9]{3,30}$")),
'password' => 'required|min:8|confirmed',
"password": "string",
"password": "required",
"password": "",
"password": null,
"password": "********",
password VARCHAR(255) NOT NULL,
password varchar(64),
password := os.Getenv("PG_PASSWORD")
password = "${DB_PASSWORD}"
password: ${{ secrets.DB_PASSWORD }}
password: {{ vault_db_password }}
password = <password>
password = YOUR_PASSWORD
password=$PASSWORD1
password = self._password2
password = user.password
password = hash_password(password, salt=16)
password = sha256(raw).hexdigest()
password = newPassword
password2 = password1
if password == confirm_password:
if len(password) < 8:
assert password != old_password
<input type="password" name="password" minlength="8">
<label for="password">Password</label>
<password>********</password>
passwordLength: 12,
password_min_length = 12
password_expires_at = "2024-05-12"
PASSWORD_HASHERS = ["argon2id"]
def check_password(password: str, hashed: bytes) -> bool:
senha = input("Digite sua senha: ")
senha = request.args.get("senha")
String senha = usuario.getSenha();
pwd = os.getcwd()
PWD=../project1
echo $PWD
token = tokenizer.next()
token = tokens[0]
token = lexer.token()
token: str
token: int32
token = None
token = request.headers.get("Authorization")
token = "<eos>"
token = "B-PER"
token = create_access_token(data={"sub": user.name})
token: ${{ secrets.GITHUB_TOKEN }}
token_count = 4096
max_tokens=1024, temperature=0.2
secret = secrets.token_hex(32)
secret = get_secret_value("projects/app/secrets/db/versions/3")
secretName: app-tls-2024-v1
secretKeyRef: { name: app, key: database-url }
api_key = os.environ["OPENAI_API_KEY"]
api_key = settings.openai_api_key
api_key = "YOUR_API_KEY"
api_key: "your-api-key-here"
api_key="..."
OPENAI_API_KEY=
OPENAI_API_KEY=sk-...
client = OpenAI(api_key=api_key)
headers = {"Authorization": f"Bearer {token}"}
headers = {"Authorization": "Bearer " + token}
headers["Authorization"] = "Bearer " + access_token_from_keyring
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
curl -H "Authorization: Bearer ${ACCESS_TOKEN}" https://api.example.com
curl -u "$USER:$PASS" https://api.example.com
access_key = config["access_key"]
private_key = load_pem_private_key(data, password=None)
public_key = private_key.public_key()
key = f"{user}:{chat}:{index}"
key = hashlib.sha256(text.encode()).hexdigest()[:32]
primary_key = "users_pkey_2024"
idempotency_key = "550e8400-e29b-41d4-a716-446655440000"
foreign key (user_id) references users(id)
import secrets
from secrets import token_urlsafe
print(secrets.token_urlsafe(32))
const id = "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d";
const hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const big = 9007199254740991n;
const card = { number: "", cvc: "", expiry: "12/26" };
integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"
"resolved": "https://example.com/lodash/-/lodash-4.17.21.tgz",
"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==",
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
background: url(data:font/woff2;base64,d09GMgABAAAAAAvMAA4AAAAAFXQAAAtzAAEAAAAA)
0x4111111111111111
x = 4.111111111111111
y = 0.5105105105105100
z = 5105105105105100.5
MAX = 18446744073709551615
const EPOCH = 1704067200000;
SELECT * FROM orders WHERE id = 1234567890123456;
INSERT INTO orders (id, total) VALUES (1000000000000001, 12.50);
UPDATE users SET password_hash = ? WHERE id = ?;
for i in range(1000000): pass
logger.info("processed %d items in %.3f ms", 123456, 78.9)
2024-05-12 10:30:00,123 INFO worker-3 job 1234567890 done in 45 ms
[2024-05-12T10:30:00.123Z] 192.168.0.1 "GET /orders/1234567890" 200 5123
at com.example.App.main(App.java:42)
File "app.py", line 1234, in calculate_total
git checkout 9fceb02d0ae598e95dc970b74767f19372d61af8
docker run -p 8080:80 -e TZ=UTC nginx:1.27.0
docker pull app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
pip install numpy==2.0.0 requests>=2.31
npm install react@18.3.1
chmod 0644 file && chown 1000:1000 file
kubectl get pods -n prod-2024 --token-file token.txt
psql --no-password -h localhost -p 5432
aws configure set region us-east-1
arn:aws:iam::123456789012:role/service-role/app
aws_access_key_id = YOUR_ACCESS_KEY
aws_secret_access_key = YOUR_SECRET_KEY
AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
What does -----BEGIN RSA PRIVATE KEY----- mean?
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExample peter@laptop
SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8
calculateTotal(items, { taxRate: 0.23, currency: "EUR" })
class SkLoadingSpinnerContainerLarge2024 extends Component {}
.sk-fading-circle-1-2-3-4-5 { animation-delay: -1.1s; }
.key-0123456789 { color: red; }
const skeleton = "sk-list-item-with-avatar-and-two-lines";
def test_ghp_prefix_is_known() -> None: ...
hf_hub_download(repo_id="BAAI/bge-small-en-v1.5", filename="model.onnx")
npm_package_config_port=8080
ya29 is a prefix, GOCSPX another
export const AC_UNIT = "AC220V50HZ";
SKU = "SK" + str(number).zfill(8)
regex = r"\\b\\d{3}-\\d{2}-\\d{4}\\b"
regex = r"\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}"
pattern = "[0-9]{13,19}"
mask("4111-****-****-1111")
uuid.UUID("12345678-1234-5678-1234-567812345678")
ObjectId("507f1f77bcf86cd799439011")
snowflake = 1234567890123456789
ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
x-request-id: 7f3c2a1b9d8e4f60
x-amzn-trace-id: Root=1-5759e988-bd862e3fe1be46a994272793
cache-control: max-age=31536000
content-length: 1234567890
if (secret) { return secret.length >= 16; }
bearer = HTTPBearer(auto_error=False)
session_id = uuid4().hex
eyJ is how a JSON object begins in base64
""".strip().splitlines()
