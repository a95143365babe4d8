"""
Words of the relevance judgement, English and Portuguese together: synonyms, relations, topics, lasting constraints.

All words are folded (lower case, no accents). Synonyms of both languages are in one group, so that a question in one
language matches a statement in the other.
"""

#: Words that name the same role, relation or subject; groups end with a semicolon.
SYNONYMS = """
boss manager supervisor lead chief chefe gerente patrao patroa chefa gestor gestora ; job work profession
occupation career employer company employed living trampo trabalho emprego profissao cargo empresa patrao
trabalha trabalhar trabalhei trabalhou servico works worked working hired ; coworker colleague teammate colega
colegas ; salary pay wage income earn earns paid raise salario ganho ganhar ganha renda ordenado vencimento paga
pago ; rent landlord lease aluguel renda senhorio alugar aluguer ; home house flat apartment place studio
address live lives living lived moved move casa apartamento ape kitnet endereco morada moro mora morar morei
vivo vive viver mudei mudamos mudar bairro ; car vehicle automobile truck van carro automovel viatura civic
yaris clio ; bike bicycle cycling bicicleta pedalar ; dog puppy cao cachorro cachorra doguinho cadela pet ; cat
kitten gato gata pet ; pet animal bicho dog cat turtle parrot hamster rabbit tartaruga papagaio coelho ; wife
spouse partner husband esposa mulher marido esposo companheiro companheira conjuge ; girlfriend boyfriend fiance
fiancee partner dating namorada namorado noiva noivo ; mother mom mum mama mae mamae ; father dad daddy pai
papai ; parents pais ; sister sis irma mana ; brother bro irmao mano ; sibling siblings brother sister irmao
irma irmaos ; son boy filho menino rapaz ; daughter girl filha menina ; child children kid kids son daughter
baby filho filha filhos criancas crianca bebe ; grandmother grandma granny nan avo vovo ; grandfather grandad
grandpa avo vovo ; grandson granddaughter grandchild grandchildren grandkids neto neta netos ; uncle aunt tio
tia ; cousin primo prima ; nephew niece sobrinho sobrinha ; roommate flatmate housemate ; neighbour neighbor
vizinho vizinha ; friend mate buddy pal amigo amiga amigos parca ; doctor gp physician dr medico medica doutor
doutora clinico ; therapist psychologist psychiatrist counselor counselling therapy terapeuta psicologo
psicologa psiquiatra terapia ; physio physiotherapist physiotherapy fisio fisioterapeuta fisioterapia ; dentist
dentista teeth tooth dente dentes ; vet veterinarian veterinario veterinaria ; medicine medicines medication
meds drug pill pills tablet dose prescription take remedio remedios medicamento medicamentos comprimido
comprimidos medicacao tomo toma ; dose mg milligrams dosagem ; allergy allergic allergies allergen alergia
alergico alergica alergias ; vegetarian vegan diet veggie vegetariano vegetariana vegano vegana dieta ; illness
disease condition diagnosis diagnosed diagnostico doenca condicao diagnosticado diagnosticada ; injury hurt
sprain broken fracture injured lesao machuquei torci quebrei fratura entorse ; surgery operation operated
operacao cirurgia operado operada operei ; pain ache hurts sore dor doi dores ; sleep insomnia slept dormir sono
insonia durmo ; weight kg kilos pounds weigh peso pesava pesa quilos ; height tall altura mede ; age old years
turned aged idade anos fez faz ; birthday born aniversario nasceu nascimento nasci niver ; wedding married
marriage marry casamento casei casamos casar casado casada ; divorce divorced separated separation divorcio
separei separacao ; pregnant expecting pregnancy gravida gravidez ; school college university uni faculty degree
major escola faculdade universidade curso graduacao colegio ; study studying student course class estudo estudar
estuda curso aula ; exam test final midterm prova exame teste ; grade gpa score nota notas media ; teacher
professor prof lecturer professora docente ; thesis dissertation essay paper tcc tese dissertacao ; email mail
message letter note mensagem carta correio recado ; phone mobile cell cellphone smartphone telefone celular
telemovel ; computer laptop pc macbook notebook computador portatil ; money cash budget savings dinheiro grana
orcamento poupanca guita ; save savings saved saving poupar guardar juntar economizar poupanca reserva ; debt
owe owes owed loan credit divida devo deve emprestimo cartao ; price cost costs charge charged fee paid spend
preco custo custou cobro cobrar valor custa quanto gastei paguei taxa ; runway cash burn months ; tax taxes irs
fisco imposto impostos ; invoice bill fatura conta boleto ; buy bought purchase comprei comprar compra comprou ;
sell sold vendi vender venda vendeu ; trip travel holiday vacation journey flight flying viagem viajar ferias
voo ; plane flight fly aviao voo voar ; train comboio trem ; hotel airbnb hostel pousada hospedagem ; visit
visiting visita visitar ; dinner supper jantar janta ; lunch almoco almocar ; breakfast cafe pequeno-almoco ;
food meal eat eating dish cook cooking recipe comida comer refeicao prato cozinhar receita ; cake dessert bolo
sobremesa doce ; meat beef steak carne ; fish seafood shellfish shrimp prawn peixe marisco camarao frutos ; milk
dairy lactose cheese leite queijo laticinio ; nuts peanut peanuts almond amendoim nozes castanha ; gluten wheat
coeliac celiac celiaco celiaca trigo ; drink alcohol beer wine bebida beber alcool cerveja vinho ; coffee
caffeine cafe cafeina descafeinado ; gym workout training exercise lifting academia ginasio treino treinar
exercicio ; run running marathon race corrida correr maratona corro ; football soccer futebol bola ; team club
equipe time equipa clube ; band group music banda grupo ; guitar bass violin piano instrument drums guitarra
violao baixo viola instrumento bateria toco baixista baterista drummer bassist ; book novel reading read livro
romance ler leitura ; movie film series show filme serie ; game games jogo jogos ; garden allotment plants horta
jardim plantas quintal ; project app product projeto projecto produto ; deadline due deliver delivery submit
prazo entrega entregar ; meeting call standup appointment reuniao chamada consulta compromisso encontro ;
interview entrevista ; client customer cliente clientes ; database db postgres postgresql mysql sqlite mongodb
banco bd ; kubernetes k8s cluster ; actions gha github ci pipeline workflow ; deploy deployment release ship
lancamento deployar ; repository repo git repositorio ; request pr merge pull ; typescript ts ; javascript js ;
python py ; test tests pytest testing unit teste testes ; language idioma lingua linguagem ; style tone format
formatting estilo tom formato ; favourite favorite best preferred favorito favorita preferido preferida ; like
love enjoy prefer gosto adoro amo prefiro curto ; hate dislike avoid odeio detesto evito ; name called surname
named nome chama chamo chamava sobrenome apelido nickname ; plan plans planning goal plano planos meta objetivo
; decide decided decision chose choice settled decidi decidimos escolhi escolha escolhemos ; start started begin
began comecei comecou inicio comeco ; stop stopped quit gave parei deixei larguei cancelei cancelled canceled ;
change changed switch switched mudei mudou troquei trocou mudanca ; buy get bought got comprei ; recommend
recommended suggest suggested tip advice recomendou sugeriu indicou dica sugestao conselho sugestoes
recomendaste sugeriste recomendacao ; steps instructions how-to passos passo instrucoes etapas ; promise
promised prometi prometeu combinado combinamos ; lend lent borrow borrowed emprestei emprestou emprestado ;
insurance policy insurer seguro seguradora apolice ; visa passport immigration visto passaporte ; keys key chave
chaves ; hour hours shift turno horario horas schedule rota ; morning manha manhas ; afternoon tarde ; evening
night noite ; weekend saturday sunday sabado domingo fim-de-semana ; monday segunda segunda-feira ; tuesday
terca terca-feira ; wednesday quarta quarta-feira ; thursday quinta quinta-feira ; friday sexta sexta-feira ;
saturday sabado ; sunday domingo ; january janeiro jan ; february fevereiro feb ; march marco ; april abril ;
may maio ; june junho ; july julho ; august agosto aug ; september setembro sept sep ; october outubro oct ;
november novembro nov ; december dezembro dec ; big large grande ; small little pequeno pequena ; new novo nova
; present gift presente prenda ; party festa ; colour color paint painted cor cores pintar pintamos ; shoe shoes
size sapato sapatos tamanho numero ; remote wfh home remoto ; lawyer attorney solicitor advogado advogada ;
accountant bookkeeper contador contadora contabilista contabilidade ; religion church mosque faith igreja
religiao paroquia ; vacation leave holiday ferias folga ; broke broken break quebrou quebrei avariado avariou ;
lost lose perdi perdeu ; stolen theft roubaram roubado furto ; wrong issue problem problema erro bug error
"""

#: Relations that a question may name; a statement about another one answers a different question.
RELATIONS = """
boss manager supervisor chefe gerente patrao
wife husband spouse partner esposa marido mulher esposo
girlfriend boyfriend fiance fiancee namorada namorado noivo noiva
mother mom mum mae
father dad pai
sister sis irma
brother irmao
son filho
daughter filha
grandmother grandma nan vo vovo
grandfather grandpa grandad
grandson granddaughter grandkids neto neta netos
uncle tio
aunt tia
cousin primo prima
nephew niece sobrinho sobrinha
roommate flatmate
neighbour neighbor vizinho vizinha
dog cachorro cao cachorra cadela
cat gato gata
doctor gp medico medica
therapist psychologist terapeuta psicologa psicologo
teacher professor prof professora
landlord senhorio
mechanic mecanico
friend amigo amiga
client cliente
accountant contadora contador contabilista
coach trainer treinador treinadora
lawyer advogado advogada
mother-in-law sogra
father-in-law sogro
sister-in-law cunhada
brother-in-law cunhado
daughter-in-law nora
son-in-law genro
"""

#: Cue words of each topic.
TOPICS = {
    "food": """
        eat eats eating food meal cook cooking recipe dinner lunch breakfast snack dessert diet vegetarian vegan
        pescatarian lactose dairy milk cheese gluten coeliac celiac nut nuts peanut peanuts shellfish shrimp fish meat
        pork beef chicken egg eggs sugar salt spicy cilantro coriander allergic allergy intolerant halal kosher alcohol
        wine beer coffee caffeine drink kitchen oven microwave fryer stove pan freezer
        comer como comida refeicao cozinhar receita jantar janta almoco lanche sobremesa doce dieta vegetariano
        vegetariana vegano vegana lactose leite queijo gluten celiaco celiaca amendoim nozes castanha camarao marisco
        peixe carne porco frango ovo ovos acucar sal picante coentro coentros cebola alergico alergica alergia
        intolerante intolerancia alcool vinho cerveja cafe bebo forno microondas fogao airfryer panela
    """,
    "health": """
        doctor medicine medication meds pill dose mg allergic allergy asthma diabetes diabetic blood pressure pregnant
        injury injured knee back shoulder wrist ankle pain migraine diagnosis diagnosed adhd anxiety anxious panic
        depression insomnia sleep therapy therapist physio surgery exercise workout run running gym lift weights
        penicillin ibuprofen aspirin heart celiac arthritis tendon sprain
        medico remedio medicamento dose alergico alergica alergia asma diabetes diabetico pressao tensao gravida lesao
        joelho joelhos costas ombro punho tornozelo dor enxaqueca diagnostico tdah ansiedade panico depressao insonia
        sono terapia fisio cirurgia exercicio treino correr corrida academia penicilina ibuprofeno coracao pacemaker
        tendinite hernia
    """,
    "code": """
        code script function class api library dependency dependencies stdlib type types hints typing typed python
        typescript javascript java rust go golang kotlin swift sql postgres docker kubernetes terraform bash shell git
        commit commits test tests pytest lint format tabs spaces comments docstring docstrings async framework react vue
        svelte django fastapi flask rails node npm repo deploy ci variable variables functional
        codigo script funcao classe biblioteca bibliotecas dependencia dependencias tipos tipagem teste testes commit
        comentarios variaveis indentacao
    """,
    "writing": """
        write writing email emails mail letter text texts message post posts caption tone formal informal casual emoji
        emojis exclamation spelling british american grammar sentence sentences paragraph bullet bullets words dashes
        dash sign signature draft rewrite edit essay essays style
        escrever escreve escreva texto textos email e-mail carta mensagem post legenda tom formal informal emoji emojis
        exclamacao ortografia frase frases paragrafo topicos palavras travessao assinar assinatura redacao estilo
    """,
    "travel": """
        travel trip trips fly flying flight plane train hotel hostel airbnb seat aisle window holiday vacation passport
        visa luggage wheelchair stairs motion sick car drive driving beach city
        viajar viagem viagens voar voo aviao comboio trem onibus hotel pousada hostel assento corredor janela ferias
        passaporte visto mala bagagem enjoo cadeira rodas praia dirigir conduzir
    """,
    "schedule": """
        monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
        sundays weekday weekdays weekend weekends morning mornings evening evenings night nights afternoon shift shifts
        meeting meetings schedule calendar every before after am pm o'clock until free busy class practice rehearsal
        segunda terca quarta quinta sexta sabado domingo semana manha manhas noite noites tarde turno turnos reuniao
        reunioes agenda horario toda todo todas todos antes depois ate livre ocupado aula ensaio treino
    """,
    "money": """
        money budget save saving savings debt loan rent salary price prices pay paid cost afford spend spending invest
        investment tax taxes card credit pension currency dollars euros pounds amount amounts
        dinheiro orcamento poupar juntar poupanca divida emprestimo aluguel renda salario preco precos pagar pago custo
        gastar gasto investir investimento imposto impostos cartao credito reais euros valor valores
    """,
    "people": """
        wife husband partner girlfriend boyfriend son daughter kid kids child children baby mother father mom mum dad
        sister brother parents grandma grandpa grandson granddaughter friend friends nephew niece cousin family birthday
        anniversary gift
        esposa marido mulher namorado namorada filho filha filhos crianca criancas bebe mae pai irma irmao pais avo neto
        neta netos amigo amiga amigos sobrinho sobrinha primo prima familia aniversario presente
    """,
}

#: Phrases of lasting instructions about answers.
INSTRUCTION_PHRASES = """
from now on | always | never | don't ever | dont ever | no more | stop using | stop saying | please use | use
only | only use | keep it | keep them | keep answers | keep your | in your answers | when you write | when you
explain | when i ask | whenever | for me | answer in | reply in | write in | speak | talk to me | call me |
don't call me | dont call me | my pronouns | pronouns | i prefer | i'd rather | id rather | i like it when | i
want you to | i need you to | make sure | remember to | remember that | remember, | without | no emojis | no
emoji | no exclamation | no bullet | no bullets | no jargon | skip the | step by step | one step at a time |
metric | celsius | british | plain english | type hints | stdlib only | no third | nothing else | not too |
don't rewrite | dont rewrite | rule: | house rule | as a rule | our rule | the rule is | explain like | with
examples | short answers | explain everything | explain with | a partir de agora | daqui pra frente | daqui para
a frente | de agora em diante | sempre | nunca | sem emoji | sem emojis | sem exclamacao | nada de | so usa | so
use | usa so | use apenas | usa sempre | use sempre | evita | evite | prefiro | responde em | responda em |
responde sempre | escreve em | escreva em | escreve sempre | me chama de | me chame de | chama-me | pode me
chamar | quando for | quando eu pedir | quando eu perguntar | quando me | quando voce | quando vc | quando
escrever | quando explicar | explica com | explique com | explique passo | passo a passo | em passos | divide em
| me divide | respostas curtas | pra mim | lembra que | lembra sempre | nao usa | nao use | nao uses | nao
escreve | nao escreva | nao me | sem senhor | sem jargao | regra da casa | a regra e | a nossa regra | nossa
regra | em portugues | por favor | passa sempre | manda sempre | poe sempre | me da sempre | quero sempre | so
quero | gosto que | gosto quando | curto e direto | direto ao ponto
"""

#: Phrases of lasting constraints and traits of the user.
CONSTRAINT_PHRASES = """
allergic | allergy | intolerant | intolerance | vegetarian | vegan | pescatarian | coeliac | celiac | diabetic |
diabetes | kosher | halal | can't eat | cant eat | don't eat | dont eat | can't have | cant have | can't do |
cant do | can't stand | cant stand | i hate | i don't like | i dont like | don't drink | dont drink | i don't |
i dont | i only | i never | i always | we only | we never | we always | we don't | we dont | not allowed | gave
up | quit | no longer | off limits | not before | nothing before | diagnosed | adhd | dyslexic | dyslexia |
colour blind | color blind | colorblind | wheelchair | hearing | deaf | blind | pregnant | asthma | migraine |
migraines | bad knee | bad back | injury | doctor said | doctor says | physio said | told me not to | have to
avoid | must avoid | supposed to avoid | avoid | afraid of | scared of | phobia | every monday | every tuesday |
every wednesday | every thursday | every friday | every saturday | every sunday | mondays | tuesdays |
wednesdays | thursdays | fridays | weekdays | on mondays | night shift | nights | my budget | max | at most |
limit | all i own | all i have to cook | live alone | with kids | on a budget | alergico | alergica | alergia |
intolerante | intolerancia | vegetariano | vegetariana | vegano | vegana | celiaco | celiaca | diabetico |
diabetica | diabetes | nao como | nao bebo | nao posso | nao pode | nao podemos | nao consigo | nao gosto | nao
suporto | odeio | detesto | so como | so bebo | so posso | so funciono | so trabalho | nunca | sempre | nao uso
| nao usamos | a gente nao | parei de | deixei de | larguei | proibido | proibiu | proibida | diagnostico | tdah
| disle | daltonico | cadeira de rodas | surdo | surda | gravida | asma | enxaqueca | lesao | hernia | tendinite
| medico disse | medica disse | fisio disse | medico mandou | evitar | medo de | fobia | nao levante | toda
segunda | toda terca | toda quarta | toda quinta | toda sexta | todo sabado | todo domingo | as segundas | as
tercas | as quartas | as quintas | as sextas | aos sabados | a terca | a quarta | a quinta | de madrugada | no
maximo | meu limite | orcamento | so depois das | antes das | nao deixa | nao me deixa
"""

#: First words of requests; a sentence that begins with one asks for something instead of stating it.
REQUEST_WORDS = frozenset(
    """
    write rewrite draft translate summarize summarise explain give show tell help make create generate fix check review
    suggest recommend list plan convert calculate find compare describe proofread read look please can could would will
    lets let's add remove change turn shorten expand imagine pretend continue try do
    escreve escreva reescreve reescreva traduz traduza traduzir resume resuma explica explique da de-me mostra
    mostre diz
    diga ajuda ajude faz faca cria crie gera gere corrige corrija revisa revise reve sugere sugira indica
    recomenda lista
    liste planeja monta monte converte calcula acha encontra compara descreve leia le olha pode podes podia
    poderia consegue
    bora adiciona tira muda troca encurta continua imagina finge tenta me
    """.split()
)

#: Beginnings of the assistant's offers of help and other courtesies.
OFFER_PHRASES = """
want me to | would you like | shall i | should i | let me know | do you want | happy to help | glad | you're
welcome | my pleasure | anytime | any time | feel free | if you want, i | if you'd like | i can also | just ask
| just say | tell me if | send me | paste | good luck | have a | enjoy | congrat | well done | nice | great |
lovely | sounds | quer que eu | queres que | deseja que | gostaria que | posso ajudar | me avisa | me avise |
avise-me | diga-me | me diz | me conta | me manda | manda | se quiser | se quiseres | se precisar | de nada | as
ordens | imagina | disponha | boa sorte | bom proveito | bom apetite | parabens | que bom | que otimo | fico
feliz | conta comigo | estou aqui | combinado! | boa!
"""

#: Words of a question that asks for what the assistant said.
ASSISTANT_QUESTION_PHRASES = """
you recommend | you recommended | you suggest | you suggested | you gave | you told | you said | you mentioned |
you wrote | you explained | u told | u said | u gave | u recommended | u suggested | your tip | your advice |
your recommendation | your suggestion | your plan | did you say | did you tell | did you call | you listed | you
showed | told me | vc recomendou | vc sugeriu | vc indicou | vc passou | vc falou | vc disse | vc deu | vc me |
voce recomendou | voce sugeriu | voce indicou | voce passou | voce falou | voce disse | voce deu | voce me |
recomendaste | sugeriste | disseste | indicaste | deste-me | me recomendou | me sugeriu | me indicou | me passou
| me falou | me disse | me deu | me ensinou | sua dica | tua dica | sua sugestao | repita-me | repete | explicou
| ensinou
"""

#: Words that say what a question asks for.
NUMBER_QUESTIONS = """
how many | how much | how old | how tall | how far | how long | how big | what size | what price | what number |
percentage | quant | qual o valor | qual valor | que tamanho | que idade | que altura | dose | price | cost |
rent | salary | preco
"""
TIME_QUESTIONS = """
when | what time | what day | which day | what date | what month | what year | since when | how long | quando |
que dia | que horas | que data | qual dia | em que ano | que mes | desde quando | ha quanto tempo | a que horas
"""
PERSON_QUESTIONS = """
who | whose | name of | 's name | called | quem | como se chama | como chama | qual o nome | qual e o nome |
nome d
"""
PLACE_QUESTIONS = """
where | which city | what city | which country | address | onde | que cidade | em que cidade | que bairro | em
que bairro | pra onde | para onde
"""
HISTORY_WORDS = """
all | list | every | so far | ever | over the | since | history | story | changed | changes | which ones |
everything | used to | todos | todas | lista | evolucao | historia | do comeco ao fim | desde | ja tive | novela
| tudo | quais | what are | which
"""

#: First words of questions.
QUESTION_WORDS = frozenset(
    """
    what what's whats when when's where where's who who's whose which why how how's is are was were do does did am will
    has have had whats hows
    que qual quais quando onde quem como quanto quanta quantos quantas porque por cade aonde sera
    """.split()
)

#: Beginnings of questions that may be written without a question mark.
QUESTION_BEGINNINGS = """

what is | what's | whats | what are | what does | what do | what did | what was | what can | what should | what
would | which is | which are | which one | which of | who is | who's | whos | who was | who wrote | who invented
| where is | where do | where can | where's | when is | when does | when did | when do | why is | why do | why
does | why are | why did | how do | how does | how to | how much | how many | how long | how old | how can | how
would | how should | how is | how's | hows | is it | is there | are there | does it | do i | do you | can i |
can you | could you | can u | could u | should i | shall i | would you | will you | did you | have you | is this
| is that | am i | qual e | qual a | qual o | quais | quem e | quem foi | quem | quanto e | quanto custa |
quanto | quantos | quantas | como se | como faz | como faco | como e | como eu | como que | o que e | o que
significa | oq | o que | que tal | quando e | quando foi | por que | pq | porque e | onde fica | onde | pode me
| podes | voce pode | vc pode | sera que | sabe se | tem como
"""

#: Phrases of requests that do not begin with a verb of `REQUEST_WORDS`.
REQUEST_PHRASES = """

need a | need an | i need help | need help | help me | help with | help w | write me | can you | could you | can
u | could u | would you | quick translate | translate | caption for | message for | message to | email to |
email for | text to | letter to | sign for | recipe for | idea for | ideas for | tips for | explain | scale this
| answer it | answer this | fix this | check this | proofread | rewrite | summarize | summarise | draft a |
draft an | give me | show me | tell me | make me | write something | write a | i'd like a | i would like a | i
should like to | preciso de um | preciso de uma | preciso duma | preciso de ajuda | preciso escrever | preciso
de uns | queria um | queria uma | me ajuda | me ajude | ajuda com | ajude-me | me da | me sugere | me faz | me
escreve | faz um | faz uma | faca um | faca uma | faca-me | escreve um | escreve uma | escreva um | escreva uma
| mensagem pro | mensagem pra | mensagem para | email pro | email pra | email para | carta para | legenda pra |
legenda para | ideias para | ideia para | ideias pra | receita de | traduz | traduza | explica | explique |
corrige | corrija | resume | resuma | responde | monta um | monta uma
"""
